//! What happens to pending reset tokens when something else changes, and the reset token as the way back to an account.

use super::{ResetPasswordsService, tokens};
use crate::client::ClientAddress;
use crate::core::{ChangedCredential, Core, Hooks, Identity, ProvenBy, Recovery, WayBack};
use crate::delivery::PasswordResetReason;
use crate::error::AuthError;
use crate::repository::PasswordResetRepository;
use crate::user::User;
use async_trait::async_trait;
use std::sync::Arc;

/// Deletes reset tokens whose address no longer leads to the account, or whose owner has changed the password.
pub(super) struct OfResetTokens {
    pub(super) resets: Arc<dyn PasswordResetRepository>,
    /// Makes the service, which needs a core.
    pub(super) service: Box<dyn Fn(&Core) -> ResetPasswordsService + Send + Sync>,
}

impl OfResetTokens {
    /// Deletes the token of an address after a change in this session. If the account was locked down meanwhile, earlier tokens are deleted
    /// already, and the token that is there now is in the recovery mail (specification §15.9).
    async fn end_token(&self, core: &Core, who: Option<&Identity>, email: &str) -> Result<(), AuthError> {
        if locked_down(core, who).await?.is_some() {
            return Ok(());
        }
        tokens::delete(core, &*self.resets, email).await?;
        match locked_down(core, who).await? {
            // The deleted token may have been that of the recovery mail.
            Some(id) => core.mail_way_back(&id, Recovery::LockedDown).await,
            None => Ok(()),
        }
    }
}

/// The id of the user of this session, if the account was locked down since the request was authenticated: the session has ended, and
/// there is no password.
async fn locked_down(core: &Core, who: Option<&Identity>) -> Result<Option<String>, AuthError> {
    let Some(who) = who else { return Ok(None) };
    if core.is_alive(who).await? {
        return Ok(None);
    }
    let now = core.users.find_by_id(&who.user_id()).await?;
    Ok(now.filter(|now| !now.has_password()).map(|now| now.id_text()))
}

#[async_trait]
impl Hooks for OfResetTokens {
    /// A token that was sent to the previous address must not reset the password (specification §15.6).
    async fn email_changed(
        &self,
        core: &Core,
        who: Option<&Identity>,
        before: &User,
        after: &User,
    ) -> Result<(), AuthError> {
        self.end_token(core, who, before.email()).await?;
        self.end_token(core, who, after.email()).await
    }

    /// A token that was requested before a change of the password must not undo the change (specification §11.6). A change of the
    /// second factor ends no token: a reset leaves the second factor as it is, and somebody else who is in a session must not be
    /// able to cancel the owner's recovery. Those of a changed address end with the address.
    async fn credentials_changed(
        &self,
        core: &Core,
        who: &Identity,
        changed: ChangedCredential,
    ) -> Result<(), AuthError> {
        if changed != ChangedCredential::Password {
            return Ok(());
        }
        self.end_token(core, Some(who), who.user.email()).await
    }

    /// A stranger may have asked for a reset before the owner of the address has signed in.
    async fn owner_arrived(
        &self,
        core: &Core,
        user: &User,
        by: ProvenBy,
        _: ClientAddress,
    ) -> Result<(), AuthError> {
        // A reset has spent its token, and has tried to delete it.
        if by == ProvenBy::Reset {
            return Ok(());
        }
        self.recovery_ending(core, user).await
    }

    async fn recovery_ending(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        tokens::delete(core, &*self.resets, user.email()).await
    }

    fn way_back(&self) -> Option<WayBack> {
        Some(WayBack::ResetToken)
    }

    async fn mail_way_back(&self, core: &Core, user: &User, why: Recovery) -> Result<(), AuthError> {
        let reason = match why {
            Recovery::PasswordRemoved => PasswordResetReason::PasswordRemoved,
            Recovery::LockedDown => PasswordResetReason::LockedDown,
        };
        (self.service)(core).mail_anew(user, reason).await
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        self.recovery_ending(core, user).await
    }
}
