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

#[async_trait]
impl Hooks for OfResetTokens {
    /// A token that was sent to the previous address must not reset the password (specification §15.6).
    async fn email_changed(&self, core: &Core, before: &User, after: &User) -> Result<(), AuthError> {
        self.recovery_ending(core, before).await?;
        self.recovery_ending(core, after).await
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
        self.recovery_ending(core, &who.user).await
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
