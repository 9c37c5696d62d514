//! Confirming the password again before something that matters ("step-up"). Always on.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `POST /user/confirm-password` | bearer token; `password` | 200 `{confirmed: true}` |
//! | `GET /user/confirmed-password-status` | bearer token; `?seconds=n` shortens the window | 200 `{confirmed: bool}` |
//!
//! **Needs** the user repository.
//! **Refuses** with `unauthenticated`, `incorrect_password`, `validation_failed`.
//! **Limits** failed confirmations of an account.
//! **Emits** `auth.lockout`.

mod handlers;
mod payload;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::{get, post};
pub use service::PasswordConfirmationService;

pub(crate) fn routes<U: AuthUser>(service: &PasswordConfirmationService<U>) -> Vec<Route> {
    vec![
        Route::new("/user/confirm-password", post(handlers::confirm).with_state(service.clone())),
        Route::new("/user/confirmed-password-status", get(handlers::status).with_state(service.clone())),
    ]
}
