//! Taking an account back with the link in the mail to its previous address. No HTTP.

use super::entries::{Entries, RevertToken};
use super::service::ChangeEmailsService;
use crate::background::LONGEST;
use crate::client::ClientInfo;
use crate::config::{LONGEST_REVERT, Limit};
use crate::core::LockDown;
use crate::delivery::EmailChangePurpose;
use crate::error::AuthError;
use crate::store::StoreKey;
use std::time::SystemTime;

impl ChangeEmailsService {
    /// Gives an account its previous address back, whatever its address is by now, and locks the account down (specification §9.34). For
    /// a token that was used, this changes nothing.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`]; [`AuthError::ExpiredMailToken`]; [`AuthError::EmailTaken`] if another account has the address by
    /// now, after the account was locked down; [`AuthError::TooManyAttempts`].
    pub async fn revert(&self, token: &str, client: impl Into<ClientInfo>) -> Result<(), AuthError> {
        let (core, client) = (&self.core, client.into());
        core.count_call(&[Limit::MailTokens], "", client.address).await?;
        let flow = core.flows.open_mailed::<RevertToken>(token)?;
        let user = core.users.find_by_id(&flow.content.sub).await?;
        user.filter(|user| user.is_active()).ok_or(AuthError::InvalidMailToken)?;
        core.flows.must_last(&flow)?;
        if core.store.exists(StoreKey::MailTokenUsed, &[&flow.jti]).await? {
            return Ok(());
        }
        let service = self.clone();
        self.core
            .run_to_completion(async move {
                let content = &flow.content;
                let order = LockDown::since(content.since(), client.address);
                let back_to = (content.email.as_str(), content.verified_at());
                let reverted = match service.take_back(&content.sub, back_to, &order, &client).await {
                    // The account is locked down all the same, so the link has done what it can.
                    Err(AuthError::EmailTaken) => Err(AuthError::EmailTaken),
                    taken_back => Ok(taken_back?),
                };
                // At the end: until then each step can be repeated.
                service.core.use_mail_token(&flow.jti, LONGEST_REVERT).await?;
                reverted
            })
            .await
    }

    /// Gives an account an address back, which was verified at this time, and locks the account down. Ends what can take the account back.
    /// Each step can be repeated.
    ///
    /// # Errors
    /// [`AuthError::EmailTaken`] if another account has the address by now, after the account was locked down; those of the
    /// repositories and the store.
    pub(super) async fn take_back(
        &self,
        user_id: &str,
        (email, verified_at): (&str, SystemTime),
        order: &LockDown,
        client: &ClientInfo,
    ) -> Result<(), AuthError> {
        let core = &self.core;
        let before = core.users.find_by_id(user_id).await?.ok_or(AuthError::InvalidMailToken)?;
        core.store.claim(StoreKey::EmailMoved, &[user_id, email], LONGEST).await?;
        let message = |to: &str, purpose| self.message(to, purpose, client.clone(), &*before);
        let going_back = order.clone().going_back_to(email.to_owned(), verified_at);
        let taken_back = match core.lock_down(user_id, &going_back).await {
            Err(AuthError::EmailTaken) => {
                core.lock_down(user_id, order).await?;
                core.deliver(&self.delivery, message(email, EmailChangePurpose::NotReverted));
                Err(AuthError::EmailTaken)
            }
            locked_down => {
                locked_down?;
                if before.email() != email && before.email_verified_at().is_some() {
                    core.deliver(&self.delivery, message(before.email(), EmailChangePurpose::Reverted));
                }
                core.finish_lock_down(user_id).await?;
                Ok(())
            }
        };
        Entries::of(core, user_id).end_revert().await?;
        taken_back
    }
}
