//! CHANGE_EMAILS: a user changes the e-mail address after the new one is proven, and the previous one can take the account back.
//!
//! **Needs** a delivery.
//!
//! An address changes with a link that was mailed to it, in a session of the user. The previous address gets a link with which its
//! owner undoes that, whatever else has happened to the account since, and until then nobody else gets that address.

mod entries;
mod handlers;
mod hooks;
mod revert;
mod service;

#[cfg(feature = "command")]
pub(super) use service::of_settings;
pub use service::{ChangeEmailsService, PendingEmailChange};

use crate::config::Limit;
use crate::delivery::{Delivers, EmailChangeMessage};
use crate::endpoint::{
    Confirmation, Consequence, Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind,
    EndpointResponse,
};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use crate::values::EmailAddress;
use crate::watch::Watch;
use hooks::OfChanges;
use std::sync::Arc;

/// The limits of a request. That of the account is counted first.
const REQUEST_LIMITS: &[Limit] = &[Limit::EmailChange, Limit::EmailChangeAddress];

const TOKEN: EndpointField = EndpointField::required("token", EndpointFieldKind::NonEmptyText);

const REQUEST: Endpoint = Endpoint::post("/user/email-change", "requestEmailChange")
    .of(Feature::ChangeEmails)
    .summary("Mails a link to a new address, with which the user confirms it. The response is alike for every address.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .takes(EndpointBody::Required(&[EndpointField::EMAIL]))
    .limits(REQUEST_LIMITS)
    .emits(&[EventName::EmailChangeRequested]);

/// The pending change of the user.
const PENDING: EndpointResponse = EndpointResponse::object(
    "PendingEmailChange",
    &[EndpointField::required(
        "pending",
        EndpointFieldKind::OrNull(&EndpointFieldKind::Object(&[
            EndpointField::EMAIL,
            EndpointField::required("expiresAt", EndpointFieldKind::Time),
        ])),
    )],
);

const SHOW: Endpoint = Endpoint::get("/user/email-change", "getEmailChange")
    .of(Feature::ChangeEmails)
    .summary("The address that the user has asked for and not confirmed yet.")
    .requires(Credential::Session)
    .returns(&[PENDING]);

const CANCEL: Endpoint = Endpoint::delete("/user/email-change", "cancelEmailChange")
    .of(Feature::ChangeEmails)
    .summary("Cancels the pending change of the address.")
    .requires(Credential::Session);

const CONFIRM: Endpoint = Endpoint::post("/user/email-change/confirm", "confirmEmailChange")
    .of(Feature::ChangeEmails)
    .summary(
        "Changes the address to the one to which the token was mailed, and ends the user's other sessions.",
    )
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[TOKEN]))
    .returns(&[EndpointResponse::CHANGED])
    .changes_cookies()
    .emits(&[EventName::EmailChanged, EventName::SessionEnded])
    .refuses(&[ErrorCode::InvalidMailToken, ErrorCode::ExpiredMailToken, ErrorCode::EmailTaken]);

const REVERT: Endpoint = Endpoint::post("/email/revert", "revertEmailChange")
    .of(Feature::ChangeEmails)
    .summary("Gives an account its previous address back, with the token that was mailed there, and locks the account down.")
    .takes(EndpointBody::Required(&[TOKEN]))
    .limits(&[Limit::MailTokens])
    .leads_to(Consequence::LockDown)
    .refuses(&[ErrorCode::InvalidMailToken, ErrorCode::ExpiredMailToken, ErrorCode::EmailTaken]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// CHANGE_EMAILS: `POST`, `GET` and `DELETE /user/email-change`, `POST /user/email-change/confirm` and `POST /email/revert`.
    pub fn change_emails<D: Delivers<EmailChangeMessage>>(self, delivery: D) -> Self {
        let delivery = erase::<dyn Delivers<EmailChangeMessage>, _>(delivery, |delivery| delivery);
        self.mount(pending(Arc::new(Watch::over(delivery))))
    }
}

fn pending(delivery: Arc<dyn Delivers<EmailChangeMessage>>) -> Pending {
    let hooks = OfChanges { delivery: Arc::clone(&delivery) };
    Pending::new(|core| ChangeEmailsService::new(core, delivery)).with_hooks(hooks)
}

impl<U: AuthUser> Admin<'_, U> {
    /// Gives a user another address, which counts as verified: for a user who has lost the mailbox, or whose account somebody has taken
    /// over. Every session ends. The previous address, if it was verified, gets a mail with the link that takes the account back,
    /// as after a change by the user (specification §15.8). The host must make sure that the address is the user's.
    ///
    /// If the user has this address already, nothing changes.
    ///
    /// ```
    /// use axum_auth_module::values::EmailAddress;
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn lost_mailbox<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    ///     auth.admin().change_email(&user_id, &EmailAddress::parse("ada@example.net")?).await
    /// }
    /// ```
    ///
    /// # Errors
    /// [`AuthError::EmailTaken`], also for an address that is kept for an account that had it until lately; those of the
    /// repositories and the store; [`AuthError::Internal`] when there is no such user, or when CHANGE_EMAILS is not enabled.
    pub async fn change_email(&self, user_id: &U::Id, email: &EmailAddress) -> Result<(), AuthError> {
        let service: Option<&ChangeEmailsService> = self.service();
        let service = service.ok_or_else(|| AuthError::internal("`change_email` needs CHANGE_EMAILS"))?;
        let user = self.user(user_id).await?;
        service.change_by_administrator(&user, email).await
    }
}
