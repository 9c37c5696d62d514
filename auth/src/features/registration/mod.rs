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
use crate::module::Core;
use crate::providers::CreatesNewUsers;
use crate::user::AuthUser;
use axum::routing::post;
use service::RegistrationService;
use std::sync::Arc;

pub(crate) fn routes<U: AuthUser>(
    core: &Core<U>,
    creates_new_users: Arc<dyn CreatesNewUsers<U>>,
) -> Vec<Route> {
    let service = RegistrationService::new(core.clone(), creates_new_users);
    vec![Route::new("/register", post(handlers::register).with_state(service))]
}
