//! The self-test of a shared store, before the module uses it for the first time (specification §21.5).
//!
//! A host can mark its own store with `SharedStore`. One that does not do what it promises would accept codes twice and count
//! no attempts, and nobody would notice.

mod checks;
#[cfg(test)]
mod tests;

use super::attempt::Attempted;
use super::{EphemeralStore, Slot, Window};
use crate::error::BoxError;
use crate::telemetry::{Sentence, log};
use async_trait::async_trait;
use checks::{Verdict, check};
use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long the test may take. A store that never answers must not keep the next operation from trying again.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A store that is used only after it has passed the test.
pub(super) struct SelfTested {
    store: Arc<dyn EphemeralStore>,
    test: Attempted<Verdict, Unavailable>,
    /// The verdict again, without a lock.
    verdict: OnceLock<Verdict>,
}

/// Why the test has no verdict.
#[derive(Clone, Debug)]
struct Unavailable(Arc<BoxError>);

impl SelfTested {
    pub(super) fn new(store: Arc<dyn EphemeralStore>) -> Self {
        Self { store, test: Attempted::default(), verdict: OnceLock::new() }
    }

    /// The store, if it has passed. Tests it if there is no verdict yet.
    async fn store(&self) -> Result<&dyn EphemeralStore, BoxError> {
        let verdict = match self.verdict.get() {
            Some(verdict) => *verdict,
            None => {
                let store = Arc::clone(&self.store);
                let verdict = self.test.get(|_| true, || attempt(store)).await?;
                *self.verdict.get_or_init(|| verdict)
            }
        };
        verdict?;
        Ok(&*self.store)
    }
}

/// Runs the test and logs what is wrong. Concurrent operations share an attempt, and the first conclusive attempt is final, so
/// there is one line in the log.
async fn attempt(store: Arc<dyn EphemeralStore>) -> Result<Verdict, Unavailable> {
    let test = async {
        match check(&*store).await? {
            Ok(()) => Ok(Ok(())),
            // A server that is restarted in the middle of a test looks the same.
            Err(_) => check(&*store).await,
        }
    };
    let test = tokio::time::timeout(TIMEOUT, test).await;
    let verdict =
        test.unwrap_or_else(|_elapsed| Err("the store did not answer its self-test in time".into()));
    verdict.map_err(Unavailable::from).inspect(|verdict| {
        if let Err(wrong) = verdict {
            log::store_self_test_failed(Sentence(&wrong.to_string()));
        }
    })
}

#[async_trait]
impl EphemeralStore for SelfTested {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.store().await?.get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.store().await?.put(key, value, ttl).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.store().await?.swap(key, expected, value, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.store().await?.delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.store().await?.count(key, limit, window).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.store().await?.give_back(key, window).await
    }

    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        self.store().await?.delete_expired(at_most).await
    }

    fn warnings(&self) -> Vec<String> {
        let wrong = self.verdict.get().and_then(|verdict| verdict.err());
        wrong.map(|wrong| wrong.to_string()).into_iter().chain(self.store.warnings()).collect()
    }

    fn is_durable(&self) -> bool {
        self.store.is_durable()
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unavailable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&**self.0)
    }
}

impl From<BoxError> for Unavailable {
    fn from(error: BoxError) -> Self {
        Self(Arc::new(error))
    }
}

impl From<io::Error> for Unavailable {
    fn from(error: io::Error) -> Self {
        Self::from(BoxError::from(error))
    }
}
