//! What a pending deletion means to the rest of the module.

use super::service::{DeleteAccountsService, Parts};
use crate::client::{ClientAddress, ClientInfo};
use crate::clock::rfc3339;
use crate::core::{Core, Hooks, LockDown, SignInRequest, Step};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;
use serde_json::{Value, json};

/// Keeps accounts shut whose deletion is pending, and deletes those that are due.
pub(super) struct OfDeletions(pub(super) Parts);

impl OfDeletions {
    fn service(&self, core: &Core) -> DeleteAccountsService {
        DeleteAccountsService::new(core, self.0.clone())
    }
}

#[async_trait]
impl Hooks for OfDeletions {
    async fn session_starting(
        &self,
        core: &Core,
        request: &SignInRequest<'_>,
    ) -> Result<Option<Step>, AuthError> {
        self.service(core).hold_back(request).await
    }

    async fn is_leaving(&self, core: &Core, user_id: &str) -> Result<bool, AuthError> {
        Ok(self.service(core).find(user_id).await?.is_some())
    }

    async fn maintain(&self, core: &Core) -> Result<(), AuthError> {
        self.service(core).delete_due(None).await
    }

    async fn stored_about(
        &self,
        core: &Core,
        user: &User,
    ) -> Result<Option<(&'static str, Value)>, AuthError> {
        let deletion = self.service(core).find(&user.id_text()).await?;
        Ok(deletion.map(|deletion| ("deletion", json!({ "deletesAt": rfc3339(deletion.due_at) }))))
    }

    /// Somebody else may have asked for the deletion.
    async fn locked_down(&self, core: &Core, user: &User, visit: &LockDown) -> Result<bool, AuthError> {
        let service = self.service(core);
        let Some(deletion) = service.find(&user.id_text()).await? else { return Ok(false) };
        let nobody = ClientInfo::from(ClientAddress::UNKNOWN);
        match service.cancel(user, &deletion, &nobody, visit.by()).await? {
            true => Ok(false),
            false if service.find(&user.id_text()).await?.is_none() => Ok(false),
            // The user is being deleted.
            false => Err(AuthError::InvalidMailToken),
        }
    }

    /// A row that is leased stays until the user is deleted.
    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        let service = self.service(core);
        if let Some(deletion) = service.find(&user.id_text()).await? {
            self.0.deletions.cancel(core, &deletion).await?;
        }
        Ok(())
    }
}
