//! Expired API tokens are deleted with expired sessions.

use super::entries::Rows;
use crate::core::{Core, Hooks};
use crate::error::AuthError;
use async_trait::async_trait;

pub(super) struct OfApiTokens(pub(super) Rows);

#[async_trait]
impl Hooks for OfApiTokens {
    async fn delete_expired(&self, core: &Core, at_most: u32) -> Result<u64, AuthError> {
        self.0.delete_expired(core.now(), at_most).await
    }
}
