//! A store for tests of hosts with several instances.

use crate::error::BoxError;
use crate::store::{EphemeralStore, MemoryStore, SharedStore, Slot, Window};
use async_trait::async_trait;
use std::time::Duration;

/// A [`MemoryStore`] that implements [`SharedStore`]. A test passes clones of it to several modules, which then act as
/// instances of one host.
///
/// ```
/// use axum_auth_module::testing::{self, MemoryUsers, SharedMemorySessions, SharedMemoryStore};
/// use axum_auth_module::auth_module;
/// # use axum_auth_module::AuthUser;
/// # use std::time::SystemTime;
/// # #[derive(Clone, Default, AuthUser)]
/// # struct Account { id: u32, name: String, email: String, password: String, email_verified_at: Option<SystemTime>,
/// #   two_factor_secret: Option<String>, two_factor_recovery_codes: Option<String>,
/// #   two_factor_confirmed_at: Option<SystemTime>, password_confirmed_at: Option<SystemTime> }
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// let (users, store) = (MemoryUsers::<Account>::default(), SharedMemoryStore::default());
/// let sessions = SharedMemorySessions::new();
/// let instance = || -> Result<_, axum_auth_module::config::ConfigError> {
///     Ok(auth_module! {
///         config: testing::config().build()?,
///         features: [],
///         user_repo: users.clone(),
///         deployment: many,
///         store: store.clone(),
///         session_repo: sessions.clone(),
///     })
/// };
/// let (one, another) = (instance()?, instance()?);
/// # let _ = (one, another);
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct SharedMemoryStore(MemoryStore);

impl SharedMemoryStore {
    /// Wraps this store.
    #[must_use]
    pub fn new(store: MemoryStore) -> Self {
        Self(store)
    }
}

#[diagnostic::do_not_recommend]
impl SharedStore for SharedMemoryStore {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for SharedMemoryStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.0.get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.0.put(key, value, ttl).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.0.swap(key, expected, value, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.0.delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.0.count(key, limit, window).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.0.give_back(key, window).await
    }
}
