//! Taking an account back with the link in the mail to its previous address. No HTTP.

use super::entries::{Entries, RevertToken};
use super::service::ChangeEmailsService;
use crate::background::LONGEST;
use crate::client::ClientInfo;
use crate::config::{LONGEST_REVERT, Limit};
use crate::core::{Flow, LockDown, Recovery, run_to_completion};
use crate::delivery::EmailChangePurpose;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::user::User;

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
        let user = core.users.find_by_id(&flow.content.sub).await?.filter(|user| user.is_active());
        let user = user.ok_or(AuthError::InvalidMailToken)?;
        core.flows.must_last(&flow)?;
        if core.store.exists(StoreKey::MailTokenUsed, &[&flow.jti]).await? {
            return Ok(());
        }
        let service = self.clone();
        run_to_completion(async move { service.take_back(&flow, &user, client).await }).await
    }

    /// Each step can be repeated: the use of the token is recorded at the end.
    async fn take_back(
        &self,
        flow: &Flow<RevertToken>,
        before: &User,
        client: ClientInfo,
    ) -> Result<(), AuthError> {
        let (core, content) = (&self.core, &flow.content);
        let RevertToken { sub, email, .. } = content;
        core.store.claim(StoreKey::EmailMoved, &[sub, email], LONGEST).await?;
        let order = LockDown::since(content.since(), client.address);
        let going_back = order.clone().going_back_to(email.clone(), content.verified_at());
        let reverted = match core.lock_down(sub, &going_back).await {
            Err(AuthError::EmailTaken) => {
                core.lock_down(sub, &order).await?;
                let purpose = EmailChangePurpose::NotReverted;
                core.deliver(&self.delivery, self.message(email, purpose, client, &**before));
                Err(AuthError::EmailTaken)
            }
            locked_down => {
                locked_down?;
                let has_left = before.email() != email && before.email_verified_at().is_some();
                if has_left {
                    let purpose = EmailChangePurpose::Reverted;
                    core.deliver(&self.delivery, self.message(before.email(), purpose, client, &**before));
                }
                core.mail_way_back(sub, Recovery::LockedDown).await?;
                Ok(())
            }
        };
        Entries::of(core, sub).end_revert().await?;
        core.use_mail_token(&flow.jti, LONGEST_REVERT).await?;
        reverted
    }
}
