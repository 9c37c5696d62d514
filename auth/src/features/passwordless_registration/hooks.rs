//! What happens when somebody proves an address that no account has.

use super::service::{CreatesProven, PasswordlessRegistrationService};
use crate::client::Visitor;
use crate::core::{Core, Hooks, Newcomer, Newcomers, PendingRegistration};
use crate::error::AuthError;
use async_trait::async_trait;
use std::sync::Arc;

/// A newcomer gets an account, or is asked for what the host's action needs.
pub(super) struct OfNewcomers {
    pub(super) creates: Arc<dyn CreatesProven>,
}

#[async_trait]
impl Hooks for OfNewcomers {
    fn registers_newcomers(&self) -> bool {
        true
    }

    async fn pending_registration(
        &self,
        core: &Core,
        token: &str,
    ) -> Result<Option<PendingRegistration>, AuthError> {
        PasswordlessRegistrationService::new(core, Arc::clone(&self.creates)).pending(token).await
    }

    async fn newcomer_arrived(
        &self,
        core: &Core,
        newcomer: &Newcomer,
        visitor: &Visitor,
    ) -> Result<Option<Newcomers>, AuthError> {
        let service = PasswordlessRegistrationService::new(core, Arc::clone(&self.creates));
        service.begin(newcomer, visitor).await.map(Some)
    }
}
