//! UPDATE_PROFILE_INFORMATION: a user changes name and e-mail address.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `PUT /user/profile-information` | bearer token; `name`, `email`, and what the action asks for | 200 `{message}` |
//!
//! **Needs** an implementation of `UpdatesUserProfile`.
//! **Refuses** with `unauthenticated`, `validation_failed`, `email_taken`, and what the action refuses with.
//! **Limits** nothing: the caller is known, and nothing secret is guessed.
//! **Emits** nothing.
//!
//! A changed address is an unverified one, whatever the action did: `emailVerifiedAt` is cleared, and reset tokens of
//! both addresses are deleted. Verification links are bound to their address and are worthless by themselves.

mod handlers;
mod payload;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::put;
pub use service::UpdateProfileInformationService;

pub(crate) fn routes<U: AuthUser>(service: &UpdateProfileInformationService<U>) -> Vec<Route> {
    vec![Route::new("/user/profile-information", put(handlers::update).with_state(service.clone()))]
}
