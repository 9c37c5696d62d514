//! REGISTRATION: a visitor creates an account.
//!
//! **Needs** an implementation of `CreatesNewUsers`.

mod handlers;
mod service;

pub use service::RegistrationService;

use crate::actions::CreatesNewUsers;
use crate::config::Limit;
use crate::endpoint::{Endpoint, EndpointBody, EndpointField, EndpointResponse};
use crate::erase::erase;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::{AuthUser, UsernameField};
use service::Creates;
use std::sync::Arc;

const REGISTER: Endpoint = Endpoint::post("/register", "register")
    .asks_policy()
    .of(Feature::Registration)
    .summary("Creates an account and starts a session.")
    .takes(EndpointBody::Extensible(&[
        EndpointField::NAME,
        EndpointField::EMAIL,
        EndpointField::NEW_PASSWORD,
        EndpointField::PASSWORD_CONFIRMATION,
        EndpointField::REMEMBER,
    ]))
    .returns(&[EndpointResponse::SIGNED_IN])
    .creates()
    .limits(&[Limit::Register])
    .emits(&[EventName::Registered])
    .refuses(&[
        ErrorCode::EmailTaken,
        ErrorCode::Unauthenticated,
        ErrorCode::SecondFactorUnavailable,
        ErrorCode::NotAllowed,
        ErrorCode::Overloaded,
    ]);

/// The endpoint in a module whose users have such user names.
const fn register(usernames: UsernameField) -> Endpoint {
    match usernames {
        UsernameField::Absent => REGISTER,
        UsernameField::Optional => REGISTER.takes(EndpointBody::Extensible(&[
            EndpointField::NAME,
            EndpointField::EMAIL,
            EndpointField::USERNAME_OPTIONAL,
            EndpointField::NEW_PASSWORD,
            EndpointField::PASSWORD_CONFIRMATION,
            EndpointField::REMEMBER,
        ])),
        UsernameField::Required => REGISTER.takes(EndpointBody::Extensible(&[
            EndpointField::NAME,
            EndpointField::EMAIL,
            EndpointField::USERNAME,
            EndpointField::NEW_PASSWORD,
            EndpointField::PASSWORD_CONFIRMATION,
            EndpointField::REMEMBER,
        ])),
    }
}

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// REGISTRATION: `POST /register`.
    pub fn registration<A: CreatesNewUsers<U>>(self, creates_new_users: A) -> Self {
        let action = erase::<dyn CreatesNewUsers<U>, _>(creates_new_users, |action| action);
        let pending = pending(self.acting(action));
        self.mount(pending)
    }
}

fn pending(creates_new_users: Arc<dyn Creates>) -> Pending {
    Pending::new(|core| RegistrationService::new(core, creates_new_users))
}
