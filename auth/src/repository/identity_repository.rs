//! Where the host stores with which accounts of other sites its users sign in (specification §3.10).

use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::fmt;
use std::time::SystemTime;

provider! { identities;
/// Stores the identities, one row for each: an account at a provider, such as Google, with which a user signs in.
///
/// An implementation needs no knowledge of OpenID Connect: it stores rows, and compares texts. A user id and a subject here are keys of up
/// to 512 bytes, each of them the realm, a space and the id, which can be any Unicode: several modules can share a repository.
/// User ids, ids, issuers and subjects are compared byte by byte, so a column may need a binary collation. Times are whole
/// milliseconds and must read back unchanged. [`IdentityRecord`] says how large each field can be.
/// `axum_auth_module::testing::conformance::identities` checks an implementation in a test of your own.
///
/// `axum_auth_module::sql::SqlIdentities` and `axum_auth_module::testing::MemoryIdentities` are implementations (cargo features
/// `sqlite`, `testing`).
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: IDENTITY_REPOSITORY. Register an implementation of IdentityRepository.",
    label = "`{Self}` does not implement `IdentityRepository`",
    note = "write `impl axum_auth_module::repository::IdentityRepository for {Self}`, or use `axum_auth_module::sql::SqlIdentities` (cargo feature `sqlite`, `postgres` or `mysql`)"
)]
pub trait IdentityRepository: Send + Sync + 'static {
    /// Stores a new identity with all its fields, and returns `true`. If there is one with this issuer and subject, of whichever
    /// user, it returns `false` and changes nothing, as an SQL `INSERT … ON CONFLICT (issuer, subject) DO NOTHING` does: of any
    /// number of concurrent calls with one issuer and subject, one returns `true`. The identity's `id` is new.
    async fn insert(&self, identity: IdentityRecord) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// The identity with this issuer and subject, or `None`, which is not an error.
    async fn find_by_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<IdentityRecord>, RepositoryError>; // needs #[async_trait]

    /// The identities of a user, in any order. User ids that differ in case, by an accent or by a space at the end are different
    /// users.
    async fn find_by_user(&self, user_id: &str) -> Result<Vec<IdentityRecord>, RepositoryError>; // needs #[async_trait]

    /// Writes `email`, also if it is `None`, and `last_used_at` of the identity with this `id`, and no other field.
    ///
    /// Returns whether it has written, which is `true` also if nothing changes: the number of changed rows of MySQL does not say
    /// that. An identity that does not exist, or that is deleted at the same time, is `false` and is not created again.
    async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Deletes the identity with this `id` of this user. Returns `false` and deletes nothing if this user has none with this id,
    /// also if another user has. No concurrent operation brings it back. Its issuer and subject can be stored again.
    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Deletes all identities of a user, and returns their number.
    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError>; // needs #[async_trait]

    provided!(dyn IdentityRepository);
}
}

/// A stored identity: an account at a provider, with which a user signs in.
///
/// The issuer and the subject identify it, and the provider's name in the configuration does not: if a host gives that name to another
/// server, the subjects of that server match no stored identity.
///
/// It has no public constructor with all fields, because later versions can add some: an implementation starts with
/// [`IdentityRecord::new`] and sets the others.
///
/// ```
/// use axum_auth_module::repository::IdentityRecord;
/// use std::time::SystemTime;
///
/// // As a repository reads it from a row.
/// let (id, issuer, subject) = ("5iVvhbkWkVRmRWH5wMJLmg", "https://accounts.google.com", "default 11016948447");
/// let mut identity = IdentityRecord::new(id, "default 7", issuer, subject, SystemTime::now());
/// identity.provider = "google".to_owned();
/// identity.email = Some("ada@example.org".to_owned());
/// # assert_eq!((identity.subject.as_str(), identity.last_used_at), (subject, None));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdentityRecord {
    /// The library's id of the identity: 22 characters of base64url. It is not a secret.
    pub id: String,
    /// Whose it is: the realm, a space, and the user's id in its printed form. Up to 512 bytes of any Unicode.
    pub user_id: String,
    /// What the host calls the provider: 1 to 32 lower-case letters of ASCII, digits and hyphens.
    pub provider: String,
    /// Who vouches for the account, a URL or a name: 1 to 255 printable characters of ASCII.
    pub issuer: String,
    /// The account: the realm, a space, and the issuer's id of the account, in which case matters (OpenID Connect Core §2). Up to 512
    /// bytes of any Unicode. No other identity has this issuer and subject.
    pub subject: String,
    /// The address that the account had at the last sign-in, for display alone: up to 254 bytes of any Unicode.
    pub email: Option<String>,
    /// When it was connected.
    pub created_at: SystemTime,
    /// When somebody last signed in with it.
    pub last_used_at: Option<SystemTime>,
}

impl IdentityRecord {
    /// An identity that was never used and of which nothing else is known: the provider's name is empty, and there is no address.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        user_id: impl Into<String>,
        issuer: impl Into<String>,
        subject: impl Into<String>,
        created_at: SystemTime,
    ) -> Self {
        Self {
            id: id.into(),
            user_id: user_id.into(),
            provider: String::new(),
            issuer: issuer.into(),
            subject: subject.into(),
            email: None,
            created_at,
            last_used_at: None,
        }
    }
}

/// Shows no personal data.
impl fmt::Debug for IdentityRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, provider, created_at, .. } = self;
        f.debug_struct("IdentityRecord")
            .field("id", id)
            .field("provider", provider)
            .field("created_at", created_at)
            .finish_non_exhaustive()
    }
}

/// The last use of an identity, as [`IdentityRepository::record_use`] writes it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdentityUse {
    /// The address that the account has now, if the provider says so: up to 254 bytes of any Unicode.
    pub email: Option<String>,
    /// When it was.
    pub last_used_at: SystemTime,
}

impl IdentityUse {
    /// A use at this time, with the address that the provider has said.
    #[must_use]
    pub const fn new(email: Option<String>, last_used_at: SystemTime) -> Self {
        Self { email, last_used_at }
    }
}

/// Shows no personal data.
impl fmt::Debug for IdentityUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { last_used_at, .. } = self;
        f.debug_struct("IdentityUse").field("last_used_at", last_used_at).finish_non_exhaustive()
    }
}

#[cfg(feature = "testing")]
pub(crate) mod memory {
    use super::{IdentityRecord, IdentityRepository, IdentityUse, RepositoryError};
    use async_trait::async_trait;
    use std::collections::HashMap;
    use std::collections::hash_map::Entry;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    /// Identities in memory, for tests. Clones share them.
    #[derive(Clone, Default)]
    pub struct MemoryIdentities(Arc<Mutex<BySubject>>);

    /// By their issuers and subjects.
    type BySubject = HashMap<(String, String), IdentityRecord>;

    impl MemoryIdentities {
        /// An empty repository.
        #[must_use]
        pub fn new() -> Self {
            Self::default()
        }

        fn rows(&self) -> MutexGuard<'_, BySubject> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Deletes those for which the condition holds, and returns their number.
        fn delete_where(&self, is_gone: impl Fn(&IdentityRecord) -> bool) -> usize {
            let mut identities = self.rows();
            let before = identities.len();
            identities.retain(|_, identity| !is_gone(identity));
            before - identities.len()
        }
    }

    #[async_trait]
    #[diagnostic::do_not_recommend]
    impl IdentityRepository for MemoryIdentities {
        async fn insert(&self, identity: IdentityRecord) -> Result<bool, RepositoryError> {
            match self.rows().entry((identity.issuer.clone(), identity.subject.clone())) {
                Entry::Occupied(_) => Ok(false),
                Entry::Vacant(place) => {
                    place.insert(identity);
                    Ok(true)
                }
            }
        }

        async fn find_by_subject(
            &self,
            issuer: &str,
            subject: &str,
        ) -> Result<Option<IdentityRecord>, RepositoryError> {
            Ok(self.rows().get(&(issuer.to_owned(), subject.to_owned())).cloned())
        }

        async fn find_by_user(&self, user_id: &str) -> Result<Vec<IdentityRecord>, RepositoryError> {
            Ok(self.rows().values().filter(|identity| identity.user_id == user_id).cloned().collect())
        }

        async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, RepositoryError> {
            let mut identities = self.rows();
            let Some(identity) = identities.values_mut().find(|identity| identity.id == id) else {
                return Ok(false);
            };
            identity.email.clone_from(&seen.email);
            identity.last_used_at = Some(seen.last_used_at);
            Ok(true)
        }

        async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
            Ok(self.delete_where(|identity| identity.id == id && identity.user_id == user_id) == 1)
        }

        async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
            Ok(self.delete_where(|identity| identity.user_id == user_id) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> IdentityRecord {
        let created_at = SystemTime::UNIX_EPOCH;
        IdentityRecord::new("5iVvhbkWkVRmRWH5wMJLmg", "default ada", "https://id.example", "4711", created_at)
    }

    #[test]
    fn a_record_and_a_use_show_no_personal_data() {
        let mut identity = identity();
        identity.provider = "google".to_owned();
        identity.email = Some("ada@example.org".to_owned());
        let shown = format!("{identity:?}");
        let begin = "IdentityRecord { id: \"5iVvhbkWkVRmRWH5wMJLmg\", provider: \"google\", created_at: ";
        assert!(shown.starts_with(begin), "{shown}");
        assert!(!["ada", "4711", "id.example"].iter().any(|text| shown.contains(text)), "{shown}");
        let shown = format!("{:?}", IdentityUse::new(identity.email, SystemTime::UNIX_EPOCH));
        assert!(shown.starts_with("IdentityUse { last_used_at: ") && !shown.contains("ada"), "{shown}");
    }

    #[cfg(feature = "testing")]
    #[tokio::test]
    async fn clones_share_the_identities_and_a_subject_of_an_issuer_is_there_once() {
        let identities = memory::MemoryIdentities::new();
        assert!(identities.insert(identity()).await.unwrap());
        let clone = identities.clone();
        let of_bob =
            || IdentityRecord { id: "bob".to_owned(), user_id: "default bob".to_owned(), ..identity() };
        assert!(!clone.insert(of_bob()).await.unwrap());
        assert!(
            clone
                .insert(IdentityRecord { issuer: "https://other.example".to_owned(), ..of_bob() })
                .await
                .unwrap()
        );
        let seen = IdentityUse::new(None, SystemTime::now());
        assert!(clone.record_use(&identity().id, &seen).await.unwrap());
        assert_eq!(identities.delete_all("default ada").await.unwrap(), 1);
        assert!(!clone.record_use(&identity().id, &seen).await.unwrap());
        assert!(clone.find_by_subject("https://id.example", "4711").await.unwrap().is_none());
    }
}
