//! REGISTRATION: somebody makes an account.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `POST /register` | `name`, `email`, `password`, `passwordConfirmation`, and what the action asks for | 201 `{twoFactor: false, accessToken, refreshToken}` |
//!
//! **Needs** an implementation of `CreatesNewUsers`.
//! **Refuses** with `validation_failed`, `email_taken`, and what the action refuses with.
//! **Limits** all calls of a client.
//! **Emits** `auth.registered`, after the user is created and before tokens are answered.

mod handlers;
mod payload;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::post;
pub use service::RegistrationService;

pub(crate) fn routes<U: AuthUser>(service: &RegistrationService<U>) -> Vec<Route> {
    vec![Route::new("/register", post(handlers::register).with_state(service.clone()))]
}
