//! UPDATE_PASSWORDS: a user changes the password.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `PUT /user/password` | bearer token; `currentPassword`, `password`, `passwordConfirmation` | 200 `{message, accessToken, refreshToken}`; the user's other sessions end |
//!
//! **Needs** an implementation of `UpdatesUserPasswords`.
//! **Refuses** with `unauthenticated`, `validation_failed`, `incorrect_password`, and what the action refuses with.
//! **Limits** wrong current passwords of an account, together with failed confirmations.
//! **Emits** `auth.password-updated`, `auth.lockout`.

mod handlers;
mod payload;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::put;
pub use service::UpdatePasswordsService;

pub(crate) fn routes<U: AuthUser>(service: &UpdatePasswordsService<U>) -> Vec<Route> {
    vec![Route::new("/user/password", put(handlers::update).with_state(service.clone()))]
}
