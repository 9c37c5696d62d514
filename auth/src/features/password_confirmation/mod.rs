//! Confirming the password again before something sensitive ("step-up"). Always enabled.
//!
//! **Needs** the user repository.

mod handlers;
mod service;

pub use service::PasswordConfirmationService;

use crate::core::PASSWORD_LIMITS;
use crate::endpoint::{Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind};
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::module::Pending;

const CONFIRM: Endpoint = Endpoint::post("/user/confirm-password")
    .summary("Confirms the password in this session.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[EndpointField::required("password")]))
    .returns(200, "{confirmed: true}")
    .limits(PASSWORD_LIMITS)
    .emits(&[EventName::Lockout])
    .refuses(&[ErrorCode::IncorrectPassword, ErrorCode::Overloaded]);

const STATUS: Endpoint = Endpoint::get("/user/confirmed-password-status")
    .summary("Returns whether the password was confirmed recently; `?seconds=n` shortens the window.")
    .requires(Credential::Session)
    .query(&[EndpointField::optional("seconds", EndpointFieldKind::JsonNumber)])
    .returns(200, "{confirmed: bool}")
    .refuses(&[ErrorCode::ValidationFailed]);

pub(super) fn pending() -> Pending {
    Pending::new(PasswordConfirmationService::new)
}
