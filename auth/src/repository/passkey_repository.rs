//! Where the host stores the passkeys of its users (specification §3.9).

use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::fmt;
use std::time::SystemTime;

provider! { passkeys;
/// Stores the passkeys, one row for each.
///
/// An implementation needs no knowledge of WebAuthn: it stores rows, and compares texts and bytes. A user id here is a key of
/// up to 512 bytes, the realm, a space and the id in its printed form, which can be any Unicode: several modules can share a
/// repository. User ids, ids and credential ids are compared byte by byte, so a column may need a binary collation. Times are
/// whole milliseconds and must read back unchanged. [`PasskeyRecord`] says how large each field can be.
/// `axum_auth_module::testing::conformance::passkeys` checks an implementation in a test of your own.
///
/// `axum_auth_module::sql::SqlPasskeys` and `axum_auth_module::testing::MemoryPasskeys` are implementations (cargo features
/// `sqlite`, `testing`).
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: PASSKEY_REPOSITORY. Register an implementation of PasskeyRepository.",
    label = "`{Self}` does not implement `PasskeyRepository`",
    note = "write `impl axum_auth_module::repository::PasskeyRepository for {Self}`, or use `axum_auth_module::sql::SqlPasskeys` (cargo feature `sqlite`, `postgres` or `mysql`)"
)]
pub trait PasskeyRepository: Send + Sync + 'static {
    /// Stores a new passkey with all its fields, and returns `true`. If there is one with this credential id, of whichever user, it
    /// returns `false` and changes nothing, as an SQL `INSERT … ON CONFLICT (credential_id) DO NOTHING` does: of any number of
    /// concurrent calls with one credential id, one returns `true`. The passkey's `id` is new.
    async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// The passkey with this credential id, or `None`, which is not an error. Clients send any bytes here.
    async fn find_by_credential_id(
        &self,
        credential_id: &[u8],
    ) -> Result<Option<PasskeyRecord>, RepositoryError>; // needs #[async_trait]

    /// The passkeys of a user, in any order. User ids that differ in case, by an accent or by a space at the end are different
    /// users.
    async fn find_by_user(&self, user_id: &str) -> Result<Vec<PasskeyRecord>, RepositoryError>; // needs #[async_trait]

    /// Writes `counter`, `backed_up` and `last_used_at` of the passkey with this `id`, and no other field. With `expected` only
    /// if the stored counter is that one; the comparison and the write are one step, as an SQL `UPDATE … WHERE id = … AND
    /// counter = …` is: of any number of concurrent calls with one `expected` and other counters to write, at most one returns
    /// `true`. Without `expected` there is no condition, and the counter can become smaller.
    ///
    /// Returns whether it has written, which is `true` also if nothing changes: the number of changed rows of MySQL does not say
    /// that. A passkey that does not exist, or that is deleted at the same time, is `false` and is not created again.
    async fn record_use(
        &self,
        id: &str,
        expected: Option<u32>,
        seen: &PasskeyUse,
    ) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Writes the name of the passkey with this `id` of this user, and no other field. Returns `false` and writes nothing if this
    /// user has none with this id, also if another user has. With the name that it has already it is `true`.
    async fn rename(&self, user_id: &str, id: &str, name: &str) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Deletes the passkey with this `id` of this user. Returns `false` and deletes nothing if this user has none with this id,
    /// also if another user has. No concurrent operation brings it back. Its credential id can be stored again.
    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Deletes all passkeys of a user, and returns their number.
    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError>; // needs #[async_trait]

    provided!(dyn PasskeyRepository);
}
}

/// A stored passkey.
///
/// It has no public constructor with all fields, because later versions can add some: an implementation starts with
/// [`PasskeyRecord::new`] and sets the others.
///
/// ```
/// use axum_auth_module::repository::PasskeyRecord;
/// use std::time::SystemTime;
///
/// // As a repository reads it from a row.
/// let mut passkey = PasskeyRecord::new("5iVvhbkWkVRmRWH5wMJLmg", "default 7", *b"id", *b"key", SystemTime::now());
/// passkey.counter = 41;
/// passkey.transports = "hybrid,internal".split(',').map(str::to_owned).collect();
/// # assert_eq!((passkey.credential_id, passkey.aaguid), (b"id".to_vec(), None));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PasskeyRecord {
    /// The library's id of the passkey: 22 characters of base64url. It is not a secret.
    pub id: String,
    /// Whose it is: the realm, a space, and the user's id in its printed form. Up to 512 bytes of any Unicode.
    pub user_id: String,
    /// The authenticator's id of the passkey: 1 to 1023 bytes, which no other passkey has.
    pub credential_id: Vec<u8>,
    /// The public key, as a `COSE_Key`: up to 2048 bytes.
    pub public_key: Vec<u8>,
    /// What the authenticator calls the user: 32 random bytes, in which nothing about the user is.
    pub user_handle: Vec<u8>,
    /// The domain that the passkey belongs to: up to 253 characters of ASCII.
    pub rp_id: String,
    /// What the user calls it: up to 64 characters of any Unicode.
    pub name: String,
    /// The model of the authenticator, if it has said so.
    pub aaguid: Option<[u8; 16]>,
    /// How the authenticator can be reached: at most 8 texts of 1 to 32 visible characters of ASCII, without a comma.
    pub transports: Vec<String>,
    /// How often the authenticator has signed, as it said last. Many say 0 each time.
    pub counter: u32,
    /// Whether it may be in several authenticators.
    pub backup_eligible: bool,
    /// Whether it is in several authenticators, as the authenticator said last.
    pub backed_up: bool,
    /// When it was registered.
    pub created_at: SystemTime,
    /// When somebody last signed in or confirmed with it.
    pub last_used_at: Option<SystemTime>,
}

impl PasskeyRecord {
    /// A passkey that was never used and of which nothing else is known: the other texts and bytes are empty, the counter is 0,
    /// and it is in one authenticator.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        user_id: impl Into<String>,
        credential_id: impl Into<Vec<u8>>,
        public_key: impl Into<Vec<u8>>,
        created_at: SystemTime,
    ) -> Self {
        Self {
            id: id.into(),
            user_id: user_id.into(),
            credential_id: credential_id.into(),
            public_key: public_key.into(),
            user_handle: Vec::new(),
            rp_id: String::new(),
            name: String::new(),
            aaguid: None,
            transports: Vec::new(),
            counter: 0,
            backup_eligible: false,
            backed_up: false,
            created_at,
            last_used_at: None,
        }
    }
}

/// Shows neither personal data nor the credential.
impl fmt::Debug for PasskeyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, created_at, .. } = self;
        f.debug_struct("PasskeyRecord")
            .field("id", id)
            .field("created_at", created_at)
            .finish_non_exhaustive()
    }
}

/// The last use of a passkey, as [`PasskeyRepository::record_use`] writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PasskeyUse {
    /// How often the authenticator has signed, as it says.
    pub counter: u32,
    /// Whether the passkey is in several authenticators, as the authenticator says.
    pub backed_up: bool,
    /// When it was.
    pub last_used_at: SystemTime,
}

impl PasskeyUse {
    /// A use at this time, with what the authenticator has said.
    #[must_use]
    pub const fn new(counter: u32, backed_up: bool, last_used_at: SystemTime) -> Self {
        Self { counter, backed_up, last_used_at }
    }
}

#[cfg(feature = "testing")]
pub(crate) mod memory {
    use super::{PasskeyRecord, PasskeyRepository, PasskeyUse, RepositoryError};
    use async_trait::async_trait;
    use std::collections::HashMap;
    use std::collections::hash_map::Entry;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    /// Passkeys in memory, for tests. Clones share them.
    #[derive(Clone, Default)]
    pub struct MemoryPasskeys(Arc<Mutex<ByCredentialId>>);

    type ByCredentialId = HashMap<Vec<u8>, PasskeyRecord>;

    impl MemoryPasskeys {
        /// An empty repository.
        #[must_use]
        pub fn new() -> Self {
            Self::default()
        }

        fn rows(&self) -> MutexGuard<'_, ByCredentialId> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Deletes those for which the condition holds, and returns their number.
        fn delete_where(&self, is_gone: impl Fn(&PasskeyRecord) -> bool) -> usize {
            let mut passkeys = self.rows();
            let before = passkeys.len();
            passkeys.retain(|_, passkey| !is_gone(passkey));
            before - passkeys.len()
        }
    }

    #[async_trait]
    #[diagnostic::do_not_recommend]
    impl PasskeyRepository for MemoryPasskeys {
        async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, RepositoryError> {
            match self.rows().entry(passkey.credential_id.clone()) {
                Entry::Occupied(_) => Ok(false),
                Entry::Vacant(place) => {
                    place.insert(passkey);
                    Ok(true)
                }
            }
        }

        async fn find_by_credential_id(
            &self,
            credential_id: &[u8],
        ) -> Result<Option<PasskeyRecord>, RepositoryError> {
            Ok(self.rows().get(credential_id).cloned())
        }

        async fn find_by_user(&self, user_id: &str) -> Result<Vec<PasskeyRecord>, RepositoryError> {
            Ok(self.rows().values().filter(|passkey| passkey.user_id == user_id).cloned().collect())
        }

        async fn record_use(
            &self,
            id: &str,
            expected: Option<u32>,
            seen: &PasskeyUse,
        ) -> Result<bool, RepositoryError> {
            let mut passkeys = self.rows();
            let Some(passkey) = passkeys.values_mut().find(|passkey| passkey.id == id) else {
                return Ok(false);
            };
            if expected.is_some_and(|expected| passkey.counter != expected) {
                return Ok(false);
            }
            passkey.counter = seen.counter;
            passkey.backed_up = seen.backed_up;
            passkey.last_used_at = Some(seen.last_used_at);
            Ok(true)
        }

        async fn rename(&self, user_id: &str, id: &str, name: &str) -> Result<bool, RepositoryError> {
            let mut passkeys = self.rows();
            let is_it = |passkey: &&mut PasskeyRecord| passkey.id == id && passkey.user_id == user_id;
            let Some(passkey) = passkeys.values_mut().find(is_it) else { return Ok(false) };
            name.clone_into(&mut passkey.name);
            Ok(true)
        }

        async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
            Ok(self.delete_where(|passkey| passkey.id == id && passkey.user_id == user_id) == 1)
        }

        async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
            Ok(self.delete_where(|passkey| passkey.user_id == user_id) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passkey() -> PasskeyRecord {
        let created_at = SystemTime::UNIX_EPOCH;
        PasskeyRecord::new("5iVvhbkWkVRmRWH5wMJLmg", "default ada", *b"credential", *b"key", created_at)
    }

    #[test]
    fn a_record_shows_no_personal_data_and_no_credential() {
        let mut passkey = passkey();
        passkey.name = "Ada's phone".to_owned();
        passkey.user_handle = b"handle".to_vec();
        let shown = format!("{passkey:?}");
        assert!(shown.starts_with("PasskeyRecord { id: \"5iVvhbkWkVRmRWH5wMJLmg\", created_at: "), "{shown}");
        assert!(!["ada", "Ada", "99, 114", "107, 101", "104, 97"].iter().any(|text| shown.contains(text)));
    }

    #[cfg(feature = "testing")]
    #[tokio::test]
    async fn clones_share_the_passkeys_and_a_credential_is_there_once() {
        let passkeys = memory::MemoryPasskeys::new();
        assert!(passkeys.insert(passkey()).await.unwrap());
        let clone = passkeys.clone();
        assert!(
            !clone.insert(PasskeyRecord { user_id: "default bob".to_owned(), ..passkey() }).await.unwrap()
        );
        let seen = PasskeyUse::new(1, true, SystemTime::now());
        assert!(clone.record_use(&passkey().id, Some(0), &seen).await.unwrap());
        assert!(!passkeys.record_use(&passkey().id, Some(0), &seen).await.unwrap());
        assert_eq!(passkeys.delete_all("default ada").await.unwrap(), 1);
        assert!(clone.find_by_credential_id(b"credential").await.unwrap().is_none());
    }
}
