//! PASSWORDLESS_REGISTRATION: somebody who has proven an address creates an account without a password.
//!
//! **Needs** an implementation of `CreatesPasswordlessUsers`, and EMAIL_LOGIN.

mod handlers;
mod hooks;
mod service;

pub use service::PasswordlessRegistrationService;

use crate::actions::CreatesPasswordlessUsers;
use crate::config::Limit;
use crate::endpoint::{
    Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse, RouterKind,
};
use crate::erase::erase;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use hooks::OfNewcomers;
use service::CreatesProven;
use std::sync::Arc;

const REGISTER: Endpoint = Endpoint::post("/register/passwordless", "registerPasswordless")
    .of(Feature::PasswordlessRegistration)
    .summary("Creates an account without a password for a proven address, and starts a session.")
    .takes(EndpointBody::Extensible(&[
        EndpointField::required("registrationToken", EndpointFieldKind::NonEmptyText),
        EndpointField::optional("name", EndpointFieldKind::UserName),
    ]))
    .returns(&[EndpointResponse::SIGNED_IN])
    .creates()
    .limits(&[Limit::Register])
    .emits(&[EventName::Registered, EventName::EmailVerified])
    .refuses(&[
        ErrorCode::InvalidFlowToken,
        ErrorCode::EmailTaken,
        ErrorCode::Unauthenticated,
        ErrorCode::SecondFactorUnavailable,
        ErrorCode::NotAllowed,
    ]);

/// In a module whose users come from providers, too, a browser has the token of such a registration in a cookie.
const REGISTER_WITH_COOKIE: Endpoint = REGISTER
    .takes(EndpointBody::Extensible(&[
        EndpointField::required("registrationToken", EndpointFieldKind::NonEmptyText)
            .only_on(RouterKind::Bearer),
        EndpointField::optional("registrationToken", EndpointFieldKind::NonEmptyText)
            .only_on(RouterKind::Browser),
        EndpointField::optional("name", EndpointFieldKind::UserName),
    ]))
    .emits(&[EventName::Registered, EventName::EmailVerified, EventName::IdentityLinked])
    .refuses(&[
        ErrorCode::InvalidFlowToken,
        ErrorCode::EmailTaken,
        ErrorCode::IdentityTaken,
        ErrorCode::Unauthenticated,
        ErrorCode::SecondFactorUnavailable,
        ErrorCode::NotAllowed,
    ]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// PASSWORDLESS_REGISTRATION: `POST /register/passwordless`.
    pub fn passwordless_registration<A: CreatesPasswordlessUsers<U>>(self, creates: A) -> Self {
        let action = erase::<dyn CreatesPasswordlessUsers<U>, _>(creates, |action| action);
        let pending = pending(self.acting(action));
        self.mount(pending)
    }
}

fn pending(creates: Arc<dyn CreatesProven>) -> Pending {
    let hooks = OfNewcomers { creates: Arc::clone(&creates) };
    Pending::new(|core| PasswordlessRegistrationService::new(core, creates)).with_hooks(hooks)
}
