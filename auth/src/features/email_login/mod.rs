//! EMAIL_LOGIN: a user signs in, or confirms in a session, with a code or a link in a mail.
//!
//! **Needs** a delivery.

mod confirmation;
mod handlers;
mod hooks;
mod proof;
mod service;

#[cfg(feature = "command")]
pub(super) use service::of_settings;
pub use service::{EmailLoginService, EmailLoginStarted, EmailProof};

use crate::config::Limit;
use crate::delivery::{Delivers, EmailLoginMessage};
use crate::endpoint::{
    Consequence, Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::erase::erase;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use crate::watch::Watch;
use hooks::OfMailboxes;
use std::sync::Arc;

const REQUEST_LIMITS: &[Limit] =
    &[Limit::EmailLoginClient, Limit::EmailLoginAddress, Limit::EmailLoginKnownClient];

/// The limits of wrong proofs, in the order in which their slots are taken: those of the client come before the flow token is opened,
/// which names the account.
const CLIENT_LIMITS: &[Limit] = &[Limit::EmailCodeClient];
const ACCOUNT_LIMITS: &[Limit] = &[Limit::ConsecutiveFailures];

const FLOW_TOKEN: EndpointField = EndpointField::required("flowToken", EndpointFieldKind::NonEmptyText);
const CODE: EndpointField = EndpointField::optional("code", EndpointFieldKind::NonEmptyText);

/// A mail may be on its way.
const STARTED: EndpointResponse = EndpointResponse::object(
    "MailStarted",
    &[EndpointField::MESSAGE, FLOW_TOKEN, EndpointField::required("expiresIn", EndpointFieldKind::Number)],
);

const REQUEST: Endpoint = Endpoint::post("/login/email", "requestLoginCode")
    .asks_policy()
    .of(Feature::EmailLogin)
    .summary("Mails a code and a link to sign in or to register. The response is alike for every address.")
    .takes(EndpointBody::Required(&[
        EndpointField::EMAIL,
        EndpointField::optional("flowToken", EndpointFieldKind::Text),
        EndpointField::REMEMBER,
    ]))
    .returns(&[STARTED])
    .limits(&[
        Limit::EmailLoginClient,
        Limit::EmailLoginAddress,
        Limit::EmailLoginKnownClient,
        Limit::ConsecutiveFailures,
    ])
    .emits(&[EventName::LoginCodeSent]);

const VERIFY: Endpoint = Endpoint::post("/login/email/verify", "loginWithEmail")
    .of(Feature::EmailLogin)
    .summary("Starts a session, or a registration, for somebody who has asked for a mail and has the code or the link in it.")
    .takes(EndpointBody::Required(&[
        FLOW_TOKEN,
        CODE,
        EndpointField::optional("token", EndpointFieldKind::NonEmptyText),
        EndpointField::DEVICE_TOKEN,
    ]))
    .returns(EndpointResponse::SIGN_IN_OUTCOMES)
    .limits(&[Limit::EmailCodeClient, Limit::ConsecutiveFailures, Limit::Register])
    .emits(&[
        EventName::Registered,
        EventName::Login,
        EventName::LoginFailed,
        EventName::TwoFactorChallenged,
        EventName::SessionEnded,
        EventName::Lockout,
    ])
    .leads_to(Consequence::Arrival)
    .refuses(&[
        ErrorCode::InvalidFlowToken,
        ErrorCode::InvalidLoginCode,
        ErrorCode::EmailTaken,
        ErrorCode::Unauthenticated,
        ErrorCode::SecondFactorUnavailable,
        ErrorCode::NotAllowed,
    ]);

const CONFIRM: Endpoint = Endpoint::post("/user/confirm-email", "requestConfirmationCode")
    .of(Feature::EmailLogin)
    .summary("Mails a code to the user's address, to confirm in this session.")
    .requires(Credential::Session)
    .returns(&[STARTED])
    .limits(&[Limit::ConfirmEmail])
    .emits(&[EventName::LoginCodeSent])
    .refuses(&[ErrorCode::EmailNotVerified]);

const CONFIRM_VERIFY: Endpoint = Endpoint::post("/user/confirm-email/verify", "confirmWithEmail")
    .of(Feature::EmailLogin)
    .summary("Confirms in this session with the code of a mail.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[
        FLOW_TOKEN,
        EndpointField::required("code", EndpointFieldKind::NonEmptyText),
    ]))
    .returns(&[EndpointResponse::CONFIRMED])
    .changes_cookies()
    .limits(&[Limit::EmailCodeClient, Limit::ConsecutiveFailures])
    .emits(&[EventName::Confirmed, EventName::Lockout])
    .refuses(&[ErrorCode::InvalidFlowToken, ErrorCode::InvalidLoginCode]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// EMAIL_LOGIN: `POST /login/email`, `POST /login/email/verify`, `POST /user/confirm-email` and
    /// `POST /user/confirm-email/verify`.
    pub fn email_login<D: Delivers<EmailLoginMessage>>(self, delivery: D) -> Self {
        let delivery = erase::<dyn Delivers<EmailLoginMessage>, _>(delivery, |delivery| delivery);
        self.mount(pending(Arc::new(Watch::over(delivery))))
    }
}

fn pending(delivery: Arc<dyn Delivers<EmailLoginMessage>>) -> Pending {
    let hooks = OfMailboxes { delivery: Arc::clone(&delivery) };
    Pending::new(|core| EmailLoginService::new(core, delivery)).with_hooks(hooks)
}
