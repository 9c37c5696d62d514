//! RESET_PASSWORDS: somebody who has lost the password sets a new one.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `POST /forgot-password` | `email` | 200 `{message}`, the same for every address; with `InResponse` also `token` |
//! | `POST /reset-password` | `email`, `token`, `password`, `passwordConfirmation` | 200 `{message}`; every session of the user ends |
//!
//! **Needs** a `PasswordResetRepository`, an implementation of `ResetsUserPasswords`, and a delivery.
//! **Refuses** with `validation_failed`, `invalid_reset_token`, `expired_reset_token`, and what the action refuses with.
//! **Limits** all requests of an address and of a client; failed resets of an address.
//! **Emits** `auth.password-reset`, after the new password is stored and the token deleted; `auth.lockout`.

mod handlers;
mod payload;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::post;
pub use service::ResetPasswordsService;

pub(crate) fn routes<U: AuthUser>(service: &ResetPasswordsService<U>) -> Vec<Route> {
    vec![
        Route::new("/forgot-password", post(handlers::forgot).with_state(service.clone())),
        Route::new("/reset-password", post(handlers::reset).with_state(service.clone())),
    ]
}
