//! What changes of the address mean to the rest of the module.

use super::entries::{Entries, owner_of};
use crate::core::{Core, Hooks, LockDown};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;

/// Keeps addresses for the accounts that had them until lately, and ends pending changes.
pub(super) struct OfChanges;

#[async_trait]
impl Hooks for OfChanges {
    fn changes_addresses(&self) -> bool {
        true
    }

    async fn is_reserved(&self, core: &Core, email: &str, for_user: Option<&str>) -> Result<bool, AuthError> {
        Ok(owner_of(core, email).await?.is_some_and(|owner| Some(owner.as_str()) != for_user))
    }

    /// A thief may have asked for another address. What can take the account back stays.
    async fn locked_down(&self, core: &Core, user: &User, _: &LockDown) -> Result<(), AuthError> {
        Entries::of(core, &user.id_text()).end_pending().await
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        let id = user.id_text();
        let entries = Entries::of(core, &id);
        entries.end_pending().await?;
        entries.end_revert().await
    }
}
