//! An entry of the store under the keys of all secrets (specification §16.5).
//!
//! During a rotation a module has several secrets, and an entry has one key for each of them. Every operation uses all
//! keys, so a rotation forgets nothing: an entry from before it is found under the key of the previous secret, and an
//! entry that is written during it is found after that secret has been removed.
//!
//! If several instances claim an entry at the same time, at most one of them gets it, as long as they have one secret in
//! common: the claim under the key of that secret decides.

use super::{EphemeralStore, Slot, Window, failed};
use crate::crypto::keys::MacKey;
use crate::crypto::ring::KeyRing;
use crate::error::{AuthError, BoxError};
use std::sync::Arc;
use std::time::Duration;

/// How often a swap is tried again when another request was faster.
const SWAPS: usize = 32;

/// The keys of an entry, one for each secret. They are sorted, so that all instances with the same secrets use them in the
/// same order, whichever secret is the current one: the first key decides which of several claims succeeds.
#[derive(Clone)]
pub(crate) struct EntryKeys(Arc<[String]>);

/// An attempt that was counted under all keys of a counter.
pub(crate) struct Slots {
    keys: EntryKeys,
    /// The window under each key, in the same order.
    windows: Vec<Window>,
}

/// The result of counting an attempt.
pub(crate) enum Counted {
    /// It was counted.
    Taken(Slots),
    /// The counter has reached its limit under one of the keys, and the attempt was not counted.
    Full { retry_after: Duration },
}

impl EntryKeys {
    pub(super) fn new(keys: &KeyRing<MacKey>, prefix: &str, of: &[&str]) -> Self {
        let mut keys: Vec<_> = keys.iter().map(|key| key.store_key(prefix, of)).collect();
        keys.sort_unstable();
        Self(keys.into())
    }

    /// A name of the entry for use within this process.
    pub(crate) fn name(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    pub(super) async fn exists(&self, store: &dyn EphemeralStore) -> Result<bool, AuthError> {
        for key in &*self.0 {
            if store.get(key).await.map_err(failed)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Creates the entry if there is none under any key. Otherwise nothing changes.
    pub(super) async fn claim(&self, store: &dyn EphemeralStore, ttl: Duration) -> Result<bool, AuthError> {
        for (at, key) in self.0.iter().enumerate() {
            let claimed = store.swap(key, None, b"", ttl).await.map_err(failed);
            if !matches!(claimed, Ok(true)) {
                let undone = delete(store, self.0.iter().take(at)).await;
                return claimed.and_then(|claimed| undone.map(|()| claimed));
            }
        }
        Ok(true)
    }

    /// The highest number of the entry under any key.
    pub(super) async fn number(&self, store: &dyn EphemeralStore) -> Result<Option<u64>, AuthError> {
        let mut highest = None;
        for key in &*self.0 {
            let stored = store.get(key).await.map_err(failed)?;
            highest = highest.max(stored.as_deref().and_then(number_in));
        }
        Ok(highest)
    }

    /// Raises the number of the entry, if it is lower or absent under every key. A number that was raised under some of
    /// the keys stays so.
    pub(super) async fn raise(
        &self,
        store: &dyn EphemeralStore,
        number: u64,
        ttl: Duration,
    ) -> Result<bool, AuthError> {
        for key in &*self.0 {
            if !raise(store, key, number, ttl).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sets the value of the entry under every key.
    pub(super) async fn put(
        &self,
        store: &dyn EphemeralStore,
        value: &[u8],
        ttl: Duration,
    ) -> Result<(), AuthError> {
        for key in &*self.0 {
            store.put(key, value, ttl).await.map_err(failed)?;
        }
        Ok(())
    }

    /// The values of the entry. Instances with other secrets may have set it under some of the keys only.
    pub(super) async fn values(&self, store: &dyn EphemeralStore) -> Result<Vec<Vec<u8>>, AuthError> {
        let mut values = Vec::with_capacity(self.0.len());
        for key in &*self.0 {
            values.extend(store.get(key).await.map_err(failed)?);
        }
        Ok(values)
    }

    pub(super) async fn delete(&self, store: &dyn EphemeralStore) -> Result<(), AuthError> {
        delete(store, &*self.0).await
    }

    /// Counts one attempt under every key, or under none.
    pub(super) async fn count(
        &self,
        store: &dyn EphemeralStore,
        limit: u32,
        window: Duration,
    ) -> Result<Counted, AuthError> {
        let mut slots = Slots { keys: self.clone(), windows: Vec::with_capacity(self.0.len()) };
        for key in &*self.0 {
            let refused = match store.count(key, limit, window).await {
                Ok(Slot::Taken { window }) => {
                    slots.windows.push(window);
                    continue;
                }
                Ok(Slot::Full { retry_after }) => Ok(Counted::Full { retry_after }),
                Err(error) => Err(failed(error)),
            };
            let given_back = slots.give_back(store).await;
            return refused.and_then(|full| given_back.map(|()| full));
        }
        Ok(Counted::Taken(slots))
    }
}

impl Slots {
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { keys: EntryKeys(Arc::default()), windows: Vec::new() }
    }

    pub(crate) const fn keys(&self) -> &EntryKeys {
        &self.keys
    }

    pub(super) async fn give_back(&self, store: &dyn EphemeralStore) -> Result<(), AuthError> {
        for (key, window) in self.keys.0.iter().zip(&self.windows) {
            store.give_back(key, *window).await.map_err(failed)?;
        }
        Ok(())
    }
}

async fn delete(
    store: &dyn EphemeralStore,
    keys: impl IntoIterator<Item = &String>,
) -> Result<(), AuthError> {
    for key in keys {
        store.delete(key).await.map_err(failed)?;
    }
    Ok(())
}

fn number_in(stored: &[u8]) -> Option<u64> {
    stored.try_into().ok().map(u64::from_be_bytes)
}

async fn raise(store: &dyn EphemeralStore, key: &str, number: u64, ttl: Duration) -> Result<bool, AuthError> {
    for _ in 0..SWAPS {
        let stored = store.get(key).await.map_err(failed)?;
        let last = stored.as_deref().and_then(number_in);
        if last.is_some_and(|last| number <= last) {
            return Ok(false);
        }
        let swapped = store.swap(key, stored.as_deref(), &number.to_be_bytes(), ttl).await;
        if swapped.map_err(failed)? {
            return Ok(true);
        }
    }
    Err(AuthError::Unavailable(BoxError::from("an entry changed with every attempt to write it")))
}

#[cfg(test)]
mod tests;
