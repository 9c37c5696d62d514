//! The library's entries in an [`EphemeralStore`]: one table of all kinds of keys. Errors of the store fail closed.

use super::entry::{Counted, EntryKeys, Slots};
use super::{EphemeralStore, failed};
use crate::crypto::keys::MacKey;
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::request::RequestContext;
use std::sync::Arc;
use std::time::Duration;

/// Generates [`StoreKey`] and the prefixes of its keys from one list. A kind is `expendable` if nothing is less safe without
/// an entry.
macro_rules! store_keys {
    ($($(#[$doc:meta])* $variant:ident $prefix:literal $($expendable:ident)?;)*) => {
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

            /// Whether a full store may forget the entry with this key.
            pub(super) fn is_of_expendable(key: &str) -> bool {
                const KINDS: &[(&str, bool)] = &[$(($prefix, !stringify!($($expendable)?).is_empty())),*];
                let prefix = key.split_once(':').map_or("", |(prefix, _)| prefix);
                KINDS.iter().any(|(kind, is_expendable)| *is_expendable && *kind == prefix)
            }
        }
    };
}

store_keys! {
    /// A clean-up of expired sessions, of which several instances run one.
    Maintenance "maintenance";
    /// A password that is being hashed again, by the user's id.
    Rehash "rehash";
    /// A password that was hashed again, by the user's id, the previous hash and the new one.
    HashedAgain "hashed-again" expendable;
    /// A challenge token that was used, by its id.
    ChallengeSpent "challenge-spent";
    /// How often a challenge token was tried, by its id.
    ChallengeTries "challenge-tries";
    /// A flow token that was used, by its id.
    FlowSpent "flow-spent";
    /// How often a flow token was tried, by its id.
    FlowTries "flow-tries";
    /// Since when ceremonies of a user are valid, by their kind and the user's id.
    FlowEpoch "flow-epoch";
    /// A removal of a way in that is under way, by the user's id.
    WaysInTurn "ways-in-turn";
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    /// A first sign-in with an identity of a provider that is under way, by the issuer and the subject.
    IdentityTurn "identity-turn";
    /// The last time step whose one-time code was accepted, by the user's id.
    TotpStep "totp-step";
    /// A recovery code that was used, by the user's id and the code.
    RecoveryCode "recovery-code";
    /// When the secret of a second factor was shown for the last time, by the user's id. The number is in milliseconds since 1970.
    TwoFactorShown "two-factor-shown";
    /// A pending change of the address, encrypted, by the user's id.
    EmailChange "email-change";
    /// An account that has asked for an address, by the user's id and the address.
    EmailChangeCounted "email-change-counted" expendable;
    /// A change of the address that the module itself writes, by the user's id and the new address.
    EmailMoved "email-moved";
    /// The address that can take an account back, encrypted, by the user's id.
    EmailRevert "email-revert";
    /// Whose address a reserved one was, encrypted, by the address.
    EmailReserved "email-reserved";
    /// The newest invitation of a user, encrypted, by the user's id.
    Invitation "invitation";
    /// A mailed token that was used or has ended, by its id.
    MailTokenUsed "mail-token-used";
    /// When the owner of a mailbox has locked an account down, by the user's id and the address. Such numbers are milliseconds since 1970.
    AccountSecured "account-secured";
    /// When the owner of a mailbox has reset the password of an account, by the user's id and the address.
    AccountReset "account-reset";
    /// The oldest security notice that nobody has answered, encrypted, by the user's id.
    NoticeFirst "notice-first";
    /// That the secret of a second factor was shown to a client, by the user's id and the client.
    NoticeShown "notice-shown" expendable;
    /// The client that has registered an account, until its first login, by the user's id and the client.
    RegisteredBy "registered-by" expendable;
    /// A user agent with which an account was signed in to, by the user's id and the user agent.
    UserAgentSeen "user-agent-seen" expendable;
    /// One of the notices of new sign-ins of a day, by the user's id, the day and the number.
    NewSignIn "new-sign-in";
    /// A reset token that was used, by its hash.
    ResetUsed "reset-used";
    /// A reset token that is mailed again when somebody asks again, encrypted, by the address.
    ResetKept "reset-kept" expendable;
    /// A request for a reset token that is being made or mailed again, by the address.
    ResetTurn "reset-turn";
    /// A client from which an account has logged in, by the user's id and the client.
    KnownClient "known-client" expendable;
    /// A client from which any account has logged in, by the client.
    UsedClient "used-client" expendable;
    /// Since when an account knows clients, by the user's id.
    ClientsForgotten "clients-forgotten";
    /// An account that only known clients may guess at, by the kind of secret and the account. The number is the end, in
    /// Unix seconds.
    Locked "locked";
    /// A full counter of which `auth.lockout` was emitted, by its name.
    Reported "reported" expendable;
}

/// The store as the library uses it. A key consists of a prefix and a MAC, so the store contains no addresses and no
/// ids. Each entry has a key for each secret of the ring ([`EntryKeys`]).
///
/// Every error is [`AuthError::Unavailable`], unless the table of the store is missing: without the store, a request that
/// depends on it is refused. So is an operation that takes longer than the option `store_timeout`.
#[derive(Clone)]
pub(crate) struct KeyedStore {
    store: Arc<dyn EphemeralStore>,
    keys: KeyRing<MacKey>,
    /// The option `store_timeout`.
    longest: Duration,
}

/// An operation took too long. Nobody knows whether the store has done it.
#[derive(Debug, thiserror::Error)]
#[error("the store did not respond within {:?} (store_timeout)", .0)]
struct TookTooLong(Duration);

impl KeyedStore {
    pub(crate) fn new(store: Arc<dyn EphemeralStore>, keys: KeyRing<MacKey>, longest: Duration) -> Self {
        Self { store, keys, longest }
    }

    /// The result of an operation that a request waits for, or an error if it takes too long: a server that does not respond
    /// must not hold requests. A request waits once for a server that does not respond.
    async fn bounded<T>(
        &self,
        operation: impl Future<Output = Result<T, AuthError>>,
    ) -> Result<T, AuthError> {
        let gone = || Err(AuthError::Unavailable(TookTooLong(self.longest).into()));
        if RequestContext::store_is_gone() {
            return gone();
        }
        let outcome = tokio::time::timeout(self.longest, operation).await;
        outcome.unwrap_or_else(|_elapsed| {
            RequestContext::set_store_is_gone();
            gone()
        })
    }

    /// Whether there is an entry.
    pub(crate) async fn exists(&self, kind: StoreKey, of: &[&str]) -> Result<bool, AuthError> {
        self.bounded(self.entry(kind, of).exists(&*self.store)).await
    }

    /// Creates an entry if there is none, and returns whether it did. Of several concurrent calls at most one returns
    /// `true`.
    pub(crate) async fn claim(&self, kind: StoreKey, of: &[&str], ttl: Duration) -> Result<bool, AuthError> {
        self.bounded(self.entry(kind, of).claim(&*self.store, ttl)).await
    }

    /// The number of an entry, if it has one.
    pub(crate) async fn number(&self, kind: StoreKey, of: &[&str]) -> Result<Option<u64>, AuthError> {
        self.bounded(self.entry(kind, of).number(&*self.store)).await
    }

    /// Sets the number of an entry if it has none or a lower one, and returns whether it did. Of several concurrent calls
    /// with the same number at most one returns `true`.
    pub(crate) async fn raise(
        &self,
        kind: StoreKey,
        of: &[&str],
        number: u64,
        ttl: Duration,
    ) -> Result<bool, AuthError> {
        self.bounded(self.entry(kind, of).raise(&*self.store, number, ttl)).await
    }

    /// Sets the value of an entry, whatever it was before.
    pub(crate) async fn put(
        &self,
        kind: StoreKey,
        of: &[&str],
        value: &[u8],
        ttl: Duration,
    ) -> Result<(), AuthError> {
        self.bounded(self.entry(kind, of).put(&*self.store, value, ttl)).await
    }

    /// The values of an entry: one for each secret under which instances have set it.
    pub(crate) async fn values(&self, kind: StoreKey, of: &[&str]) -> Result<Vec<Vec<u8>>, AuthError> {
        self.bounded(self.entry(kind, of).values(&*self.store)).await
    }

    pub(crate) async fn delete(&self, kind: StoreKey, of: &[&str]) -> Result<(), AuthError> {
        self.bounded(self.entry(kind, of).delete(&*self.store)).await
    }

    /// Counts one attempt, if fewer than `limit` were counted in the window.
    pub(crate) async fn count(
        &self,
        kind: StoreKey,
        of: &[&str],
        limit: u32,
        window: Duration,
    ) -> Result<Counted, AuthError> {
        self.bounded(self.entry(kind, of).count(&*self.store, limit, window)).await
    }

    /// Whether a counter has reached its limit. For this it counts an attempt and takes the attempt back.
    pub(crate) async fn is_full(
        &self,
        kind: StoreKey,
        of: &[&str],
        limit: u32,
        window: Duration,
    ) -> Result<bool, AuthError> {
        match self.count(kind, of, limit, window).await? {
            Counted::Full { .. } => Ok(true),
            Counted::Taken(slots) => self.give_back(&slots).await.map(|()| false),
        }
    }

    /// What the store does not guarantee as it is set up.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.store.warnings()
    }

    /// Whether what is stored outlives the process.
    pub(crate) fn is_durable(&self) -> bool {
        self.store.is_durable()
    }

    /// Deletes expired entries, at most so many. No request waits for this.
    pub(crate) async fn delete_expired(&self, at_most: u32) -> Result<u64, AuthError> {
        self.store.delete_expired(at_most).await.map_err(failed)
    }

    fn entry(&self, kind: StoreKey, of: &[&str]) -> EntryKeys {
        EntryKeys::new(&self.keys, kind.prefix(), of)
    }

    /// The keys of a limit's counter. The prefix `limit.` separates them from all other entries.
    pub(crate) fn counter(&self, limit: &str, of: &[&str]) -> EntryKeys {
        EntryKeys::new(&self.keys, &format!("limit.{limit}"), of)
    }

    /// Counts one attempt with a limit's counter.
    pub(crate) async fn take(
        &self,
        counter: &EntryKeys,
        limit: u32,
        window: Duration,
    ) -> Result<Counted, AuthError> {
        self.bounded(counter.count(&*self.store, limit, window)).await
    }

    /// Takes back one counted attempt, under each key unless its window has ended.
    pub(crate) async fn give_back(&self, slots: &Slots) -> Result<(), AuthError> {
        self.bounded(slots.give_back(&*self.store)).await
    }

    /// Deletes a limit's counter.
    pub(crate) async fn clear(&self, counter: &EntryKeys) -> Result<(), AuthError> {
        self.bounded(counter.delete(&*self.store)).await
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
