//! What happens to pending reset tokens when something else changes.

use super::tokens;
use crate::client::ClientAddress;
use crate::core::{ChangedCredential, Core, Hooks, Identity, ProvenBy};
use crate::error::AuthError;
use crate::repository::PasswordResetRepository;
use crate::user::User;
use async_trait::async_trait;
use std::sync::Arc;

/// Deletes reset tokens whose address no longer leads to the account, or whose owner has changed the password.
pub(super) struct DeleteResetTokens {
    pub(super) resets: Arc<dyn PasswordResetRepository>,
}

#[async_trait]
impl Hooks for DeleteResetTokens {
    /// A token that was sent to the previous address must not reset the password (specification §15.6).
    async fn email_changed(&self, core: &Core, before: &User, after: &User) -> Result<(), AuthError> {
        tokens::delete(core, &*self.resets, before.email()).await?;
        tokens::delete(core, &*self.resets, after.email()).await
    }

    /// A token that was requested before a change of the password must not undo the change (specification §11.6). A change of the
    /// second factor ends no token: a reset leaves the second factor as it is, and somebody else who is in a session must not be
    /// able to cancel the owner's recovery.
    async fn credentials_changed(
        &self,
        core: &Core,
        who: &Identity,
        changed: ChangedCredential,
    ) -> Result<(), AuthError> {
        if changed != ChangedCredential::Password {
            return Ok(());
        }
        tokens::delete(core, &*self.resets, who.user().email()).await
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
        tokens::delete(core, &*self.resets, user.email()).await
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        tokens::delete(core, &*self.resets, user.email()).await
    }
}
