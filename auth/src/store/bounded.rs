//! A store whose operations end.

use super::{EphemeralStore, Slot, Window};
use crate::error::BoxError;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// A store whose operations fail if they take longer than the option `store_timeout`: a server that does not respond must not
/// hold requests.
pub(crate) struct BoundedStore {
    store: Arc<dyn EphemeralStore>,
    longest: Duration,
}

/// An operation took too long. Nobody knows whether the store has done it.
#[derive(Debug, thiserror::Error)]
#[error("the store did not respond within {:?} (store_timeout)", .0)]
struct TookTooLong(Duration);

impl BoundedStore {
    pub(crate) fn new(store: Arc<dyn EphemeralStore>, longest: Duration) -> Self {
        Self { store, longest }
    }

    async fn bounded<T>(
        &self,
        operation: impl Future<Output = Result<T, BoxError>> + Send,
    ) -> Result<T, BoxError> {
        let outcome = tokio::time::timeout(self.longest, operation).await;
        outcome.unwrap_or_else(|_elapsed| Err(TookTooLong(self.longest).into()))
    }
}

#[async_trait]
impl EphemeralStore for BoundedStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.bounded(self.store.get(key)).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.bounded(self.store.put(key, value, ttl)).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.bounded(self.store.swap(key, expected, value, ttl)).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.bounded(self.store.delete(key)).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.bounded(self.store.count(key, limit, window)).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.bounded(self.store.give_back(key, window)).await
    }

    /// No request waits for this.
    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        self.store.delete_expired(at_most).await
    }

    fn warnings(&self) -> Vec<String> {
        self.store.warnings()
    }
}
