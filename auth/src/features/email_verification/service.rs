//! Making verification links and verifying addresses with them. No HTTP.

use super::{NOTIFY, VERIFY};
use crate::client::ClientAddress;
use crate::clock::{unix_seconds, whole_seconds};
use crate::config::Settings;
use crate::core::{Core, Identity};
use crate::crypto::links::{LinkKeys, LinkMacs};
use crate::delivery::{Channel, Delivers, EmailVerificationMessage, VerificationData};
use crate::error::AuthError;
use crate::posture::{self, Deviation};
use crate::user::{User, UserRecord};
use std::sync::Arc;

/// E-mail verification, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct EmailVerificationService {
    core: Core,
    keys: LinkKeys,
    delivery: Arc<dyn Delivers<EmailVerificationMessage>>,
}

/// What a request for a verification link leads to.
#[non_exhaustive]
pub enum Notification {
    /// No link was sent: the address is already verified.
    AlreadyVerified,
    /// A link was made and is being delivered; with `InResponse` its parts are here.
    Made(Option<VerificationData>),
}

impl EmailVerificationService {
    pub(super) fn new(core: &Core, delivery: Arc<dyn Delivers<EmailVerificationMessage>>) -> Self {
        Self { core: core.clone(), keys: LinkKeys::new(&core.config.jwt_secrets), delivery }
    }

    /// How the delivery of the feature deviates from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        let mut found = Vec::new();
        if self.delivers_in_response() {
            let message = "verification links are in responses: an address is verified without its mailbox";
            found.push(Deviation::in_response("email_verification_delivery", &["6.4.1"], message));
        }
        found.extend(of_settings(&self.core.config));
        found
    }

    /// Whether verification links are in responses.
    pub(super) fn delivers_in_response(&self) -> bool {
        self.delivery.channel() == Channel::InResponse
    }

    /// Makes a link for the user's address and has it delivered (specification §9.8).
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`].
    pub async fn notify(&self, who: &Identity, client: ClientAddress) -> Result<Notification, AuthError> {
        self.core.begin(&NOTIFY, who, client).await?;
        let (user, account) = (who.user(), who.user_id());
        if user.email_verified_at().is_some() {
            return Ok(Notification::AlreadyVerified);
        }
        let expires_at = whole_seconds(self.core.now() + self.core.config.verification_link_lifetime);
        let expires = unix_seconds(expires_at);
        let LinkMacs { hash, signature } = self.keys.sign(&account, user.email(), &expires.to_string());
        let data = VerificationData::new(account, hash, signature, expires);
        if self.delivers_in_response() {
            return Ok(Notification::Made(Some(data)));
        }
        let (email, name) = (user.email().to_owned(), user.name().to_owned());
        let language = self.core.language_of(user);
        let message = EmailVerificationMessage { email, name, data, expires_at, language };
        self.core.deliver(&self.delivery, message);
        Ok(Notification::Made(None))
    }

    /// Verifies the address with a link of this user: sets `emailVerifiedAt`, unless it is set already (specification §15.5).
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended; [`AuthError::ExpiredVerificationLink`]; [`AuthError::InvalidVerificationLink`] when any part was changed, or
    /// the address has changed since.
    pub async fn verify(
        &self,
        who: &Identity,
        hash: &str,
        signature: &str,
        expires: &str,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let acting = self.core.begin(&VERIFY, who, client).await?;
        let user = who.user();
        let digits = !expires.is_empty() && expires.bytes().all(|byte| byte.is_ascii_digit());
        let until: u64 = expires.parse().ok().filter(|_| digits).ok_or(AuthError::InvalidVerificationLink)?;
        if unix_seconds(self.core.now()) >= until {
            return Err(AuthError::ExpiredVerificationLink);
        }
        let id = user.id_text();
        if !self.keys.verify(&id, user.email(), expires, hash, signature) {
            return Err(AuthError::InvalidVerificationLink);
        }
        if user.email_verified_at().is_some() {
            return Ok(());
        }
        match self.core.verify_and_announce(user, Some(&acting), client).await? {
            true => Ok(()),
            false => self.verified_meanwhile(user).await,
        }
    }

    /// The record changed between reading and writing: another request used the link first, or the address has
    /// changed.
    async fn verified_meanwhile(&self, before: &dyn UserRecord) -> Result<(), AuthError> {
        let now = self.core.users.find_by_id(&before.id_text()).await?;
        let by_another = |now: &User| now.email() == before.email() && now.email_verified_at().is_some();
        now.filter(by_another).map(drop).ok_or(AuthError::InvalidVerificationLink)
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    let lifetime = settings.verification_link_lifetime;
    posture::of_lifetime("verification_link_lifetime", "a verification link", lifetime).into_iter().collect()
}
