//! EMAIL_VERIFICATION: a user shows that the e-mail address is theirs.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `POST /email/verification-notification` | bearer token | 200 `{message}`; with `InResponse` also `id`, `hash`, `signature`, `expires` |
//! | `GET /email/verify/{id}/{hash}` | bearer token; `signature`, `expires` in the query | 200 `{message}`, also when verified already |
//!
//! **Needs** a delivery.
//! **Refuses** with `unauthenticated`, `verification_link_not_yours`, `invalid_verification_link`, `expired_verification_link`.
//! **Limits** all notifications of an account.
//! **Emits** `auth.email-verified`, after `emailVerifiedAt` is set.

mod handlers;
mod payload;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::{get, post};
pub use service::{EmailVerificationService, Notification};

pub(crate) fn routes<U: AuthUser>(service: &EmailVerificationService<U>) -> Vec<Route> {
    vec![
        Route::new("/email/verification-notification", post(handlers::notify).with_state(service.clone())),
        Route::get_without_head(
            "/email/verify/{id}/{hash}",
            get(handlers::verify).with_state(service.clone()),
        ),
    ]
}
