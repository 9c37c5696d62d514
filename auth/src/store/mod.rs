//! What must be true only for a while: attempt counters, ended sessions, spent refresh tokens, confirmations.
//!
//! The module has no database of its own (specification §1.2): users and reset tokens are the host's, and everything else
//! is here and gone after its time. [`MemoryStore`] serves one instance; several need a store that they share.

mod keyed;
mod memory;
mod shared;

pub(crate) use keyed::{KeyedStore, StoreKey};
pub use memory::MemoryStore;
pub use shared::SharedStore;

use crate::erase::provided;
use crate::error::BoxError;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// A small store with a handful of atomic operations.
///
/// Keys are short ASCII strings that the library makes; they hold no address and no secret. Values are a few dozen
/// bytes. Every entry has a time to live, after which it must not be seen again.
///
/// Any error is answered 503: where the store cannot be reached, what security depends on is refused, not skipped.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store that the module can use",
    label = "does not implement `EphemeralStore`",
    note = "leave `store:` out for the in-memory one, or give a type that implements `axum_auth_module::store::EphemeralStore`"
)]
pub trait EphemeralStore: Send + Sync + 'static {
    /// The value under a key, if there is one and its time is not over.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError>;

    /// Sets the value under a key for a time.
    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError>;

    /// Sets the value under a key for a time, if what is there now is `expected` (`None`: nothing). Says whether it
    /// did. Of any number of callers with the same expectation, one at most is told `true`.
    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError>;

    /// Removes what is under a key, a value or a counter.
    async fn delete(&self, key: &str) -> Result<(), BoxError>;

    /// Counts one attempt under a key, if fewer than `limit` are counted in the window that is open; the first
    /// attempt opens it. Counters and values do not share keys.
    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError>;

    /// Takes one counted attempt back, if there is one.
    async fn give_back(&self, key: &str) -> Result<(), BoxError>;

    provided!(dyn EphemeralStore);
}

/// What [`EphemeralStore::count`] says of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// It is counted and may go on.
    Taken,
    /// The window is full; it is not counted.
    Full {
        /// How long until the window ends.
        retry_after: Duration,
    },
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<S: EphemeralStore + ?Sized> EphemeralStore for Arc<S> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        (**self).get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        (**self).put(key, value, ttl).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        (**self).swap(key, expected, value, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        (**self).delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        (**self).count(key, limit, window).await
    }

    async fn give_back(&self, key: &str) -> Result<(), BoxError> {
        (**self).give_back(key).await
    }
}
