//! PASSWORDLESS_REGISTRATION: somebody who has proven an address creates an account without a password.
//!
//! **Needs** an implementation of `CreatesPasswordlessUsers`, and EMAIL_LOGIN.

mod handlers;
mod hooks;
mod service;

pub use service::{NewcomerFields, PasswordlessRegistrationService};

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
use crate::user::{AuthUser, UsernameField};
use hooks::OfNewcomers;
use service::CreatesProven;
use std::sync::Arc;

const TOKEN: EndpointField = EndpointField::required("registrationToken", EndpointFieldKind::NonEmptyText);
const BEARER_TOKEN: EndpointField = TOKEN.only_on(RouterKind::Bearer);
const BROWSER_TOKEN: EndpointField =
    EndpointField::optional("registrationToken", EndpointFieldKind::NonEmptyText)
        .only_on(RouterKind::Browser);
const NAME: EndpointField = EndpointField::optional("name", EndpointFieldKind::UserName);

const REGISTER: Endpoint = Endpoint::post("/register/passwordless", "registerPasswordless")
    .of(Feature::PasswordlessRegistration)
    .summary("Creates an account without a password for a proven address, and starts a session.")
    .takes(EndpointBody::Extensible(&[TOKEN, NAME]))
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
    .takes(EndpointBody::Extensible(&[BEARER_TOKEN, BROWSER_TOKEN, NAME]))
    .emits(&[EventName::Registered, EventName::EmailVerified, EventName::IdentityLinked])
    .refuses(&[
        ErrorCode::InvalidFlowToken,
        ErrorCode::EmailTaken,
        ErrorCode::IdentityTaken,
        ErrorCode::Unauthenticated,
        ErrorCode::SecondFactorUnavailable,
        ErrorCode::NotAllowed,
    ]);

/// The endpoint in a module whose browsers can have the token in a cookie or not, and whose users have such user names.
const fn register(takes_cookies: bool, usernames: UsernameField) -> Endpoint {
    use EndpointBody::Extensible;
    use EndpointField as F;
    use UsernameField::{Absent, Optional, Required};

    match (takes_cookies, usernames) {
        (false, Absent) => REGISTER,
        (false, Optional) => REGISTER.takes(Extensible(&[TOKEN, NAME, F::USERNAME_OPTIONAL])),
        (false, Required) => REGISTER.takes(Extensible(&[TOKEN, NAME, F::USERNAME])),
        (true, Absent) => REGISTER_WITH_COOKIE,
        (true, Optional) => {
            REGISTER_WITH_COOKIE.takes(Extensible(&[BEARER_TOKEN, BROWSER_TOKEN, NAME, F::USERNAME_OPTIONAL]))
        }
        (true, Required) => {
            REGISTER_WITH_COOKIE.takes(Extensible(&[BEARER_TOKEN, BROWSER_TOKEN, NAME, F::USERNAME]))
        }
    }
}

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
