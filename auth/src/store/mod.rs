//! The store for data with a short lifetime: attempt counters, used codes and tokens.
//!
//! The module has no database (specification §1.2). The host's repositories store users, reset tokens and sessions;
//! the ephemeral store keeps everything else until it expires. [`MemoryStore`] serves one instance; several instances need a
//! [`SharedStore`], for example `RedisStore` (cargo feature `redis`).

mod attempt;
mod entry;
mod keyed;
mod memory;
#[cfg(feature = "redis")]
mod redis;
mod self_test;
mod shared;

pub(crate) use entry::{Counted, EntryKeys, Slots};
pub(crate) use keyed::{KeyedStore, StoreKey};
pub use memory::MemoryStore;
#[cfg(feature = "redis")]
pub use redis::{InvalidRedisUrl, RedisStore};
pub use shared::SharedStore;

use crate::erase::provided;
use crate::error::{AuthError, BoxError};
use crate::provider::declare::provider;
use crate::telemetry::is_missing_table;
use async_trait::async_trait;
use std::time::Duration;

/// The error of a request whose store, or whose session repository, has failed. A table that is missing is missing for the next
/// request, too.
pub(crate) fn failed(cause: BoxError) -> AuthError {
    if is_missing_table(&*cause) { AuthError::Internal(cause) } else { AuthError::Unavailable(cause) }
}

provider! { store;
/// A key-value store with six operations and a clean-up. Each operation must be atomic (specification §21.1).
///
/// Keys are short ASCII strings from the library, without addresses or secrets. Values are a few dozen bytes. Every entry
/// has a time to live. From the moment at which it ends, the entry counts as absent. Every time to live is accepted: an
/// entry with zero is absent at once, and one that no clock reaches ([`Duration::MAX`]) does not end.
///
/// Keys have up to 100 bytes and are compared byte by byte, so a column may need a binary collation. A value is any bytes,
/// also none or NUL, up to 4 KiB. `axum_auth_module::testing::conformance::store` checks an implementation in a test of
/// your own.
///
/// Every error becomes a 503 response: without the store, a request that depends on it is refused. The one exception is a
/// database without the store's table, which is a 500 response, because waiting does not help.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store that the module can use",
    label = "does not implement `EphemeralStore`",
    note = "leave `store:` out for the in-memory one, or give a type that implements `axum_auth_module::store::EphemeralStore`"
)]
pub trait EphemeralStore: Send + Sync + 'static {
    /// Returns the value of a key, or `None` if there is none or it has expired.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError>; // needs #[async_trait]

    /// Sets the value of a key, whatever it was before. It expires after `ttl`, whatever the lifetime before was.
    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError>; // needs #[async_trait]

    /// Sets the value of a key if its current value is `expected`, where `None` means no value. Returns whether it did.
    /// An empty value counts as a value, an expired one as missing. Of several concurrent calls with the same expectation at most
    /// one returns `true`.
    ///
    /// `true` says that the value was the expected one, also if the new one is the same: the number of changed rows of MySQL
    /// does not say that. `false` writes nothing. The new value expires after `ttl`.
    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError>; // needs #[async_trait]

    /// Removes the value or the counter of a key. It is not an error if there is none.
    async fn delete(&self, key: &str) -> Result<(), BoxError>; // needs #[async_trait]

    /// Counts one attempt, if the counter of the key is below `limit`, and returns the window in which it was counted. The
    /// first attempt starts the window; the counter expires at the end of the window, and the next attempt starts a new one.
    /// No later attempt extends the window, whatever its `window` is. A key is used for a value or for a counter, never for
    /// both.
    ///
    /// If the counter has reached `limit`, or is above it because an earlier call had a higher one, the result is
    /// [`Slot::Full`] and nothing is counted. Of any number of concurrent calls in a window, exactly `limit` are counted.
    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError>; // needs #[async_trait]

    /// Subtracts one attempt from the counter of the key, if its current window is `window` and has not ended. Otherwise
    /// it changes nothing: an attempt that takes longer than its window frees no place in the next one. The count never
    /// falls below 0, and no counter is created. The window's end stays the same.
    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError>; // needs #[async_trait]

    /// Deletes expired entries, at most so many, and returns their number. A store that does this by itself keeps the
    /// default.
    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        let _ = at_most;
        Ok(0)
    }

    /// What this store does not guarantee as it is set up, in sentences for the host's operators. By default nothing.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether what is stored outlives the process. Default: yes, as in a server or a database.
    fn is_durable(&self) -> bool {
        true
    }

    provided!(dyn EphemeralStore);
}
}

/// The result of [`EphemeralStore::count`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// The attempt was counted.
    Taken {
        /// The window in which it was counted, for [`EphemeralStore::give_back`].
        window: Window,
    },
    /// The counter has reached its limit; the attempt was not counted.
    Full {
        /// The time until the window ends: more than zero, and not more than the window.
        retry_after: Duration,
    },
}

/// A window of a counter: the time from its first attempt until it expires.
///
/// The number is the store's own choice and has no meaning for the library. The next window of a key must have another
/// number. A natural choice is the end of the window in milliseconds since 1970, because a window starts only after the
/// previous one has ended.
///
/// ```
/// use axum_auth_module::store::{Slot, Window};
///
/// let slot = Slot::Taken { window: Window::new(1_795_000_060_000) };
/// assert!(matches!(slot, Slot::Taken { window } if window.get() == 1_795_000_060_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window(u64);

impl Window {
    /// The window with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number with which the store made it.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}
