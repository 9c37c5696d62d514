//! The library's entries in an [`EphemeralStore`]: one table of all kinds of keys. Errors of the store fail closed.

use super::{EphemeralStore, Slot};
use crate::crypto::keys::MacKey;
use crate::error::AuthError;
use std::sync::Arc;
use std::time::Duration;

/// Generates [`StoreKey`] and the prefixes of its keys from one list.
macro_rules! store_keys {
    ($($(#[$doc:meta])* $variant:ident $prefix:literal;)*) => {
        /// The kind of an entry. The prefixes are frozen, because instances of different versions share a store.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum StoreKey {
            $($(#[$doc])* $variant,)*
        }

        impl StoreKey {
            #[cfg(test)]
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            const fn prefix(self) -> &'static str {
                match self { $(Self::$variant => $prefix,)* }
            }
        }
    };
}

store_keys! {
    /// A clean-up of expired sessions, of which several instances run one.
    Maintenance "maintenance";
    /// A password that is being hashed again, by the user's id.
    Rehash "rehash";
    /// A challenge token that was used, by its id.
    ChallengeSpent "challenge-spent";
    /// How often a challenge token was tried, by its id.
    ChallengeTries "challenge-tries";
    /// The last time step whose one-time code was accepted, by the user's id.
    TotpStep "totp-step";
    /// A recovery code that was used, by the user's id and the code.
    RecoveryCode "recovery-code";
    /// A reset token that was used, by its hash.
    ResetUsed "reset-used";
}

/// The store as the library uses it. A key consists of a prefix and a MAC, so the store contains no addresses and no
/// ids.
///
/// Every error is [`AuthError::Unavailable`]: without the store, a request that depends on it is refused.
#[derive(Clone)]
pub(crate) struct KeyedStore {
    store: Arc<dyn EphemeralStore>,
    key: MacKey,
}

impl KeyedStore {
    pub(crate) fn new(store: Arc<dyn EphemeralStore>, key: MacKey) -> Self {
        Self { store, key }
    }

    pub(crate) async fn get(&self, kind: StoreKey, of: &[&str]) -> Result<Option<Vec<u8>>, AuthError> {
        self.store.get(&self.entry(kind, of)).await.map_err(AuthError::Unavailable)
    }

    /// Sets the value if the current one is `expected`, and returns whether it did.
    pub(crate) async fn swap(
        &self,
        kind: StoreKey,
        of: &[&str],
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, AuthError> {
        self.store.swap(&self.entry(kind, of), expected, value, ttl).await.map_err(AuthError::Unavailable)
    }

    /// Creates an entry if there is none, and returns whether it did. Of several concurrent calls at most one returns
    /// `true`.
    pub(crate) async fn claim(&self, kind: StoreKey, of: &[&str], ttl: Duration) -> Result<bool, AuthError> {
        self.swap(kind, of, None, b"", ttl).await
    }

    pub(crate) async fn delete(&self, kind: StoreKey, of: &[&str]) -> Result<(), AuthError> {
        self.store.delete(&self.entry(kind, of)).await.map_err(AuthError::Unavailable)
    }

    pub(crate) async fn count(
        &self,
        kind: StoreKey,
        of: &[&str],
        limit: u32,
        window: Duration,
    ) -> Result<Slot, AuthError> {
        self.store.count(&self.entry(kind, of), limit, window).await.map_err(AuthError::Unavailable)
    }

    /// Deletes expired entries, at most so many.
    pub(crate) async fn delete_expired(&self, at_most: u32) -> Result<u64, AuthError> {
        self.store.delete_expired(at_most).await.map_err(AuthError::Unavailable)
    }

    fn entry(&self, kind: StoreKey, of: &[&str]) -> String {
        self.key.store_key(kind.prefix(), of)
    }

    /// The key of a limit's counter. The prefix `limit.` separates it from all other entries.
    pub(crate) fn counter(&self, limit: &str, of: &[&str]) -> String {
        self.key.store_key(&format!("limit.{limit}"), of)
    }

    /// The store itself, for the counters.
    pub(crate) fn counters(&self) -> &dyn EphemeralStore {
        &*self.store
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_kinds_of_entry_share_a_prefix() {
        let prefixes: HashSet<_> = StoreKey::ALL.iter().map(|kind| kind.prefix()).collect();
        assert_eq!(prefixes.len(), StoreKey::ALL.len());
        assert!(prefixes.iter().all(|prefix| !prefix.contains(['.', ':'])), "{prefixes:?}");
    }
}
