//! SESSIONS: a user sees where they are logged in, and ends sessions.
//!
//! **Needs** a `SessionRepository`.

mod handlers;
mod service;

pub use service::SessionListService;
#[cfg(feature = "command")]
pub(super) use service::of_settings;

use crate::endpoint::{
    Confirmation, Credential, Endpoint, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::repository::SessionRepository;
use crate::user::AuthUser;

/// A session in the list.
const ITEM: &[EndpointField] = &[
    EndpointField::required("id", EndpointFieldKind::NonEmptyText),
    EndpointField::required("current", EndpointFieldKind::Bool),
    EndpointField::required("kind", EndpointFieldKind::OneOf(&["bearer", "browser"])),
    EndpointField::required("createdAt", EndpointFieldKind::Time),
    EndpointField::required("lastUsedAt", EndpointFieldKind::Time),
    EndpointField::required("expiresAt", EndpointFieldKind::Time),
    EndpointField::required("client", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
    EndpointField::required("userAgent", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
    EndpointField::required("authenticatedBy", EndpointFieldKind::List(&EndpointFieldKind::Text)),
    EndpointField::required("remembered", EndpointFieldKind::Bool),
    EndpointField::ACTOR,
];

const LIST: Endpoint = Endpoint::get("/user/sessions", "listSessions")
    .of(Feature::Sessions)
    .summary("Returns the user's sessions, the current one first.")
    .requires(Credential::Session)
    .returns(&[EndpointResponse::object(
        "Sessions",
        &[EndpointField::required("sessions", EndpointFieldKind::List(&EndpointFieldKind::Object(ITEM)))],
    )]);

const END: Endpoint = Endpoint::delete("/user/sessions/{id}", "endSession")
    .of(Feature::Sessions)
    .summary("Ends one of the user's sessions; for the current one it is a logout.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(|settings| Confirmation {
        password: settings.sessions.confirm_password,
        second_factor: false,
    })
    .changes_cookies()
    .emits(&[EventName::SessionEnded, EventName::Logout])
    .refuses(&[ErrorCode::NotFound]);

const END_OTHERS: Endpoint = Endpoint::delete("/user/sessions", "endOtherSessions")
    .of(Feature::Sessions)
    .summary("Ends all of the user's sessions but the current one.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(|settings| Confirmation {
        password: settings.sessions.confirm_password,
        second_factor: false,
    })
    .returns(&[EndpointResponse::object(
        "SessionsEnded",
        &[EndpointField::MESSAGE, EndpointField::required("ended", EndpointFieldKind::Number)],
    )])
    .emits(&[EventName::SessionEnded]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// SESSIONS: `GET /user/sessions`, `DELETE /user/sessions/{id}` and `DELETE /user/sessions`, with the sessions in this
    /// repository.
    pub fn sessions<R: SessionRepository>(self, session_repo: R) -> Self {
        self.session_repo(session_repo).mount(pending())
    }
}

fn pending() -> Pending {
    Pending::new(SessionListService::new)
}
