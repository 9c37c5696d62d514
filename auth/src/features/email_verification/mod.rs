//! EMAIL_VERIFICATION: a user proves that the e-mail address is theirs.
//!
//! **Needs** a delivery.

mod handlers;
mod hooks;
mod service;

#[cfg(feature = "command")]
pub(super) use service::of_settings;
pub use service::{EmailVerificationService, Notification};

use crate::config::Limit;
use crate::delivery::{Delivers, EmailVerificationMessage};
use crate::endpoint::{
    Credential, Endpoint, EndpointField, EndpointFieldKind, EndpointResponse, ResponseCondition,
};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::{EventKind, EventName};
use crate::feature::Feature;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use crate::watch::Watch;
use hooks::OfAddresses;
use std::sync::Arc;

const SIGNATURE: EndpointField = EndpointField::required("signature", EndpointFieldKind::Text);

/// When the link ends, in seconds since 1970.
const EXPIRES: EndpointField = EndpointField::required("expires", EndpointFieldKind::Number);

const NOTIFY: Endpoint = Endpoint::post("/email/verification-notification", "sendVerificationLink")
    .of(Feature::EmailVerification)
    .summary("Sends a verification link to the user's address, unless the address is verified.")
    .requires(Credential::Session)
    .returns(&[
        EndpointResponse::MESSAGE,
        EndpointResponse::object(
            "VerificationData",
            &[
                EndpointField::MESSAGE,
                EndpointField::required("id", EndpointFieldKind::Text),
                EndpointField::required("hash", EndpointFieldKind::Text),
                SIGNATURE,
                EXPIRES,
            ],
        )
        .when(ResponseCondition::InResponse),
    ])
    .limits(&[Limit::VerificationNotification]);

const VERIFY: Endpoint = Endpoint::get("/email/verify/{id}/{hash}", "verifyEmail")
    .of(Feature::EmailVerification)
    .summary("Verifies the address with the parts of a link; succeeds again when it is verified already.")
    .requires(Credential::Session)
    .query(&[SIGNATURE, EXPIRES])
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
        let delivery = erase::<dyn Delivers<EmailVerificationMessage>, _>(delivery, |delivery| delivery);
        self.mount(pending(Arc::new(Watch::over(delivery))))
    }
}

fn pending(delivery: Arc<dyn Delivers<EmailVerificationMessage>>) -> Pending {
    Pending::new(|core| EmailVerificationService::new(core, delivery)).with_hooks(OfAddresses)
}

impl<U: AuthUser> Admin<'_, U> {
    /// Marks a user's address as verified, for example after an identity check. If it is verified already, nothing changes.
    ///
    /// # Errors
    /// Those of the repository; [`AuthError::Internal`] when there is no such user.
    pub async fn verify_email(&self, user_id: &U::Id) -> Result<(), AuthError> {
        let (core, user) = (self.core(), self.user(user_id).await?);
        if core.verify_address(&*user, None).await? {
            core.events.emit_by_administrator(EventKind::EmailVerified, Some(user.id_text())).await;
        }
        Ok(())
    }
}
