//! Login, refresh and logout. Always on.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `POST /login` | `email`, `password` | 200 `{twoFactor: false, accessToken, refreshToken}`, or `{twoFactor: true, challengeToken}` |
//! | `POST /refresh` | `refreshToken` | 200 `{accessToken, refreshToken}` |
//! | `POST /logout` | bearer token | 200 `{message}`; the session's tokens are 401 from then on |
//!
//! **Needs** the user repository.
//! **Refuses** with `invalid_credentials`, `invalid_refresh_token`, `refresh_token_reused`, `unauthenticated`.
//! **Limits** failed logins of an account and client, of an account, and of a client.
//! **Emits** `auth.login` or `auth.two-factor-challenged`, `auth.login-failed`, `auth.lockout`, `auth.logout`, `auth.refresh-token-reused`.

mod handlers;
mod payload;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::post;
pub use service::{LoggedIn, SessionService};

pub(crate) fn routes<U: AuthUser>(service: &SessionService<U>) -> Vec<Route> {
    vec![
        Route::new("/login", post(handlers::login).with_state(service.clone())),
        Route::new("/refresh", post(handlers::refresh).with_state(service.clone())),
        Route::new("/logout", post(handlers::logout).with_state(service.clone())),
    ]
}
