//! What the mailbox of an account is good for with this feature.

use crate::assurance::{Proof, Provable};
use crate::core::{Core, Hooks, Method, Methods, Recovery, WayBack, WaysIn};
use crate::delivery::{Delivers, EmailLoginMessage, EmailLoginPurpose};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;
use std::sync::Arc;

/// A user can sign in with the mailbox, which verifies the address, and confirm with it once it is verified.
pub(super) struct OfMailboxes {
    pub(super) delivery: Arc<dyn Delivers<EmailLoginMessage>>,
}

#[async_trait]
impl Hooks for OfMailboxes {
    fn verifies_by_mail(&self) -> bool {
        true
    }

    fn is_way_in(&self) -> bool {
        true
    }

    async fn ways_in(&self, _: &Core, user: &User) -> Result<WaysIn, AuthError> {
        Ok(WaysIn { mailbox: user.email_verified_at().is_some(), ..WaysIn::default() })
    }

    fn way_back(&self) -> Option<WayBack> {
        Some(WayBack::SignInByMail)
    }

    /// A mail to sign in needs the browser that has asked for it, and here nobody has asked: the mail has no secret.
    async fn mail_way_back(&self, core: &Core, user: &User, why: Recovery) -> Result<(), AuthError> {
        let message = EmailLoginMessage {
            email: user.email().to_owned(),
            name: Some(user.name().to_owned()),
            email_verified: user.email_verified_at().is_some(),
            purpose: match why {
                Recovery::PasswordRemoved => EmailLoginPurpose::PasswordRemoved,
                Recovery::LockedDown => EmailLoginPurpose::LockedDown,
            },
            code: None,
            token: None,
            client: None,
            user_agent: None,
            requested_at: core.now(),
            expires_at: core.now(),
            language: core.language_of_owner(&**user),
        };
        core.deliver(&self.delivery, message);
        Ok(())
    }

    async fn provable(&self, _: &Core, user: &User) -> Result<Option<Provable>, AuthError> {
        let is_verified = user.email_verified_at().is_some();
        Ok(is_verified.then_some(Provable { proof: Proof::Email, methods: Methods::of(Method::Email) }))
    }
}
