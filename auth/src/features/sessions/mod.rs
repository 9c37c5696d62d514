//! SESSIONS: a user sees where they are logged in, and ends sessions.
//!
//! **Needs** a `SessionRepository`.

mod handlers;
mod service;

pub use service::SessionsService;

use crate::endpoint::{Confirmation, Credential, Endpoint};
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::repository::SessionRepository;
use crate::user::AuthUser;

const LIST: Endpoint = Endpoint::get("/user/sessions")
    .of(Feature::Sessions)
    .summary("Returns the user's sessions, the current one first.")
    .requires(Credential::Session)
    .returns(
        200,
        "{sessions: [{id, current, kind, createdAt, lastUsedAt, expiresAt, client, userAgent, authenticatedBy, remembered}]}",
    );

const END: Endpoint = Endpoint::delete("/user/sessions/{id}")
    .of(Feature::Sessions)
    .summary("Ends one of the user's sessions; for the current one it is a logout.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(|settings| Confirmation {
        password: settings.sessions.confirm_password,
        second_factor: false,
    })
    .emits(&[EventName::SessionEnded, EventName::Logout])
    .refuses(&[ErrorCode::NotFound]);

const END_OTHERS: Endpoint = Endpoint::delete("/user/sessions")
    .of(Feature::Sessions)
    .summary("Ends all of the user's sessions but the current one.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(|settings| Confirmation {
        password: settings.sessions.confirm_password,
        second_factor: false,
    })
    .returns(200, "{message, ended}")
    .emits(&[EventName::SessionEnded]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// SESSIONS: `GET /user/sessions`, `DELETE /user/sessions/{id}` and `DELETE /user/sessions`, with the sessions in this
    /// repository.
    pub fn manage_sessions<R: SessionRepository>(self, session_repo: R) -> Self {
        AuthModuleBuilder::sessions(self, session_repo).mount(pending())
    }
}

fn pending() -> Pending {
    Pending::new(SessionsService::new)
}
