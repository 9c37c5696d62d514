//! What changes of the address mean to the rest of the module.

use super::entries::{Entries, owner_of};
use super::service::ChangeEmailsService;
use crate::client::ClientInfo;
use crate::core::{Core, Hooks, LockDown};
use crate::delivery::{Delivers, EmailChangeMessage};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::SystemTime;

/// Keeps addresses for the accounts that had them until lately, gives accounts back, and ends pending changes.
pub(super) struct OfChanges {
    pub(super) delivery: Arc<dyn Delivers<EmailChangeMessage>>,
}

#[async_trait]
impl Hooks for OfChanges {
    fn changes_addresses(&self) -> bool {
        true
    }

    async fn is_reserved(&self, core: &Core, email: &str, for_user: Option<&str>) -> Result<bool, AuthError> {
        Ok(owner_of(core, email).await?.is_some_and(|owner| Some(owner.as_str()) != for_user))
    }

    async fn stored_about(
        &self,
        core: &Core,
        user: &User,
    ) -> Result<Option<(&'static str, Value)>, AuthError> {
        let id = user.id_text();
        let entries = Entries::of(core, &id);
        let (pending, revert) = (entries.pending().await?, entries.possible_revert().await?);
        let data = json!({
            "pending": pending.map(|pending| pending.content.email),
            "previous": revert.map(|revert| revert.content.email),
        });
        Ok(Some(("emailChange", data)))
    }

    /// A thief may have asked for another address. What can take the account back stays.
    async fn locked_down(&self, core: &Core, user: &User, _: &LockDown) -> Result<bool, AuthError> {
        Entries::of(core, &user.id_text()).end_pending().await?;
        Ok(false)
    }

    async fn can_take_back(
        &self,
        core: &Core,
        user_id: &str,
    ) -> Result<Option<(String, SystemTime)>, AuthError> {
        let possible = Entries::of(core, user_id).possible_revert().await?;
        Ok(possible.map(|possible| (possible.content.email.clone(), possible.expires_at())))
    }

    async fn take_back(
        &self,
        core: &Core,
        user_id: &str,
        order: &LockDown,
        client: &ClientInfo,
    ) -> Option<Result<(), AuthError>> {
        let possible = Entries::of(core, user_id).possible_revert().await.transpose()?;
        let taken_back = async {
            let possible = possible?.content;
            let back_to = (possible.email.as_str(), possible.verified_at());
            let service = ChangeEmailsService::new(core, Arc::clone(&self.delivery));
            service.take_back(user_id, back_to, order, client).await
        };
        Some(taken_back.await)
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        let id = user.id_text();
        let entries = Entries::of(core, &id);
        entries.end_pending().await?;
        entries.end_revert().await
    }
}
