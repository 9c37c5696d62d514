//! EMAIL_VERIFICATION: a user proves that the e-mail address is theirs.
//!
//! **Needs** a delivery.

mod handlers;
mod service;

pub use service::{EmailVerificationService, Notification};

use crate::config::Limit;
use crate::delivery::{Delivers, EmailVerificationMessage};
use crate::endpoint::{Credential, Endpoint, EndpointField, EndpointFieldKind};
use crate::erase::erased;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use std::sync::Arc;

const NOTIFY: Endpoint = Endpoint::post("/email/verification-notification")
    .of(Feature::EmailVerification)
    .summary("Sends a verification link to the user's address, unless the address is verified.")
    .requires(Credential::AccessToken)
    .returns(200, "{message}; with `InResponse` also `id`, `hash`, `signature`, `expires`")
    .limits(&[Limit::VerificationNotification]);

const VERIFY: Endpoint = Endpoint::get("/email/verify/{id}/{hash}")
    .of(Feature::EmailVerification)
    .summary("Verifies the address with the parts of a link; succeeds again when it is verified already.")
    .requires(Credential::AccessToken)
    .query(&[
        EndpointField::required("signature"),
        EndpointField { kind: EndpointFieldKind::JsonNumber, ..EndpointField::required("expires") },
    ])
    .emits(&[EventName::EmailVerified])
    .refuses(&[
        ErrorCode::VerificationLinkNotYours,
        ErrorCode::InvalidVerificationLink,
        ErrorCode::ExpiredVerificationLink,
    ])
    .without_head();

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// EMAIL_VERIFICATION: `GET /email/verify/{id}/{hash}` and `POST /email/verification-notification`.
    pub fn email_verification<D: Delivers<EmailVerificationMessage>>(self, delivery: D) -> Self {
        let delivery = erased::<dyn Delivers<EmailVerificationMessage>, _>(delivery, |delivery| delivery);
        self.mount(pending(delivery))
    }
}

fn pending(delivery: Arc<dyn Delivers<EmailVerificationMessage>>) -> Pending {
    Pending::new(|core| EmailVerificationService::new(core, delivery))
}
