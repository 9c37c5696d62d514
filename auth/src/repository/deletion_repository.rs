//! Where the host stores which accounts are going to be deleted (specification §3.12).

use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::fmt;
use std::time::SystemTime;

provider! { deletions;
/// Stores which accounts are going to be deleted, and when: at most one row for each account.
///
/// A realm and a user id together name an account, because several modules can share a repository. Both are compared byte by byte, so a
/// column may need a binary collation: a realm has up to 200 bytes of any Unicode, a user id up to 512. Times are whole milliseconds up to
/// the year 9999, and must read back unchanged. A row is *leased* while its `leased_until` is later than `now`, a time that the library
/// passes. `axum_auth_module::testing::conformance::deletions` checks an implementation in a test of your own.
///
/// `axum_auth_module::sql::SqlDeletions` and `axum_auth_module::testing::MemoryDeletions` are implementations (cargo features `sqlite`,
/// `testing`).
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: DELETION_REPOSITORY. Register an implementation of DeletionRepository.",
    label = "`{Self}` does not implement `DeletionRepository`",
    note = "write `impl axum_auth_module::repository::DeletionRepository for {Self}`, or use `axum_auth_module::sql::SqlDeletions` (cargo feature `sqlite`, `postgres` or `mysql`)"
)]
pub trait DeletionRepository: Send + Sync + 'static {
    /// Stores a new row, which is not leased, and returns `None`. If the account has a row, it returns that row and changes nothing: of
    /// any number of concurrent calls for one account, one returns `None`.
    async fn schedule(
        &self,
        realm: &str,
        user_id: &str,
        due_at: SystemTime,
    ) -> Result<Option<DeletionRecord>, RepositoryError>; // needs #[async_trait]

    /// The row of an account, or `None`, which is not an error.
    async fn find(&self, realm: &str, user_id: &str) -> Result<Option<DeletionRecord>, RepositoryError>; // needs #[async_trait]

    /// Deletes the row of an account, if its `due_at` is this one and it is not leased at `now`. Returns whether there was such a row. This
    /// is one conditional delete: of a concurrent `cancel` and `lease_due`, one succeeds.
    async fn cancel(
        &self,
        realm: &str,
        user_id: &str,
        due_at: SystemTime,
        now: SystemTime,
    ) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Leases at most `at_most` rows of a realm until `until`, and returns these rows with their new `leased_until`: rows that are due, so
    /// their `due_at` is not later than `now`, and not leased at `now`; those that are due first come first. No row is returned by two
    /// concurrent calls, each of which can return fewer rows than are due. `until` is later than `now`.
    async fn lease_due(
        &self,
        realm: &str,
        now: SystemTime,
        until: SystemTime,
        at_most: usize,
    ) -> Result<Vec<DeletionRecord>, RepositoryError>; // needs #[async_trait]

    /// Deletes the row of an account whose user was deleted, if its `due_at` is this one, whether it is leased or not. A row that does
    /// not exist is no error.
    async fn finish(&self, realm: &str, user_id: &str, due_at: SystemTime) -> Result<(), RepositoryError>; // needs #[async_trait]

    provided!(dyn DeletionRepository);
}
}

/// An account that is going to be deleted.
///
/// It has no public constructor with all fields, because later versions can add some: an implementation starts with
/// [`DeletionRecord::new`] and sets the others.
///
/// ```
/// use axum_auth_module::repository::DeletionRecord;
/// use std::time::SystemTime;
///
/// // As a repository reads it from a row.
/// let mut deletion = DeletionRecord::new("default", "7", SystemTime::UNIX_EPOCH);
/// deletion.leased_until = None;
/// # assert_eq!(deletion.user_id, "7");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeletionRecord {
    /// The realm of the module: up to 200 bytes of any Unicode.
    pub realm: String,
    /// The user's id in its printed form: up to 512 bytes of any Unicode.
    pub user_id: String,
    /// From when on the user can be deleted.
    pub due_at: SystemTime,
    /// Until when an instance is deleting the user. `None`: no instance has begun.
    pub leased_until: Option<SystemTime>,
}

impl DeletionRecord {
    /// The row of an account that no instance is deleting.
    #[must_use]
    pub fn new(realm: impl Into<String>, user_id: impl Into<String>, due_at: SystemTime) -> Self {
        Self { realm: realm.into(), user_id: user_id.into(), due_at, leased_until: None }
    }

    /// Whether an instance may be deleting the user at this time.
    #[must_use]
    pub fn is_leased(&self, now: SystemTime) -> bool {
        self.leased_until.is_some_and(|until| until > now)
    }
}

/// Shows no personal data.
impl fmt::Debug for DeletionRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { due_at, leased_until, .. } = self;
        f.debug_struct("DeletionRecord")
            .field("due_at", due_at)
            .field("leased_until", leased_until)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "testing")]
pub(crate) mod memory {
    use super::{DeletionRecord, DeletionRepository, RepositoryError};
    use async_trait::async_trait;
    use std::collections::HashMap;
    use std::collections::hash_map::Entry;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::SystemTime;

    /// Deletions in memory, for tests. Clones share them.
    #[derive(Clone, Default)]
    pub struct MemoryDeletions(Arc<Mutex<ByAccount>>);

    /// By realm and user id.
    type ByAccount = HashMap<(String, String), DeletionRecord>;

    impl MemoryDeletions {
        /// An empty repository.
        #[must_use]
        pub fn new() -> Self {
            Self::default()
        }

        fn rows(&self) -> MutexGuard<'_, ByAccount> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Deletes the row of an account if the condition holds, and returns whether it did.
        fn delete_if(
            &self,
            realm: &str,
            user_id: &str,
            is_gone: impl FnOnce(&DeletionRecord) -> bool,
        ) -> bool {
            match self.rows().entry((realm.to_owned(), user_id.to_owned())) {
                Entry::Occupied(row) if is_gone(row.get()) => {
                    row.remove();
                    true
                }
                _ => false,
            }
        }
    }

    #[async_trait]
    #[diagnostic::do_not_recommend]
    impl DeletionRepository for MemoryDeletions {
        async fn schedule(
            &self,
            realm: &str,
            user_id: &str,
            due_at: SystemTime,
        ) -> Result<Option<DeletionRecord>, RepositoryError> {
            match self.rows().entry((realm.to_owned(), user_id.to_owned())) {
                Entry::Occupied(row) => Ok(Some(row.get().clone())),
                Entry::Vacant(place) => {
                    place.insert(DeletionRecord::new(realm, user_id, due_at));
                    Ok(None)
                }
            }
        }

        async fn find(&self, realm: &str, user_id: &str) -> Result<Option<DeletionRecord>, RepositoryError> {
            Ok(self.rows().get(&(realm.to_owned(), user_id.to_owned())).cloned())
        }

        async fn cancel(
            &self,
            realm: &str,
            user_id: &str,
            due_at: SystemTime,
            now: SystemTime,
        ) -> Result<bool, RepositoryError> {
            Ok(self.delete_if(realm, user_id, |row| row.due_at == due_at && !row.is_leased(now)))
        }

        async fn lease_due(
            &self,
            realm: &str,
            now: SystemTime,
            until: SystemTime,
            at_most: usize,
        ) -> Result<Vec<DeletionRecord>, RepositoryError> {
            let mut rows = self.rows();
            let is_free =
                |row: &&mut DeletionRecord| row.realm == realm && row.due_at <= now && !row.is_leased(now);
            let mut due: Vec<_> = rows.values_mut().filter(is_free).collect();
            due.sort_by_key(|row| row.due_at);
            let leased = due.into_iter().take(at_most).map(|row| {
                row.leased_until = Some(until);
                row.clone()
            });
            Ok(leased.collect())
        }

        async fn finish(
            &self,
            realm: &str,
            user_id: &str,
            due_at: SystemTime,
        ) -> Result<(), RepositoryError> {
            self.delete_if(realm, user_id, |row| row.due_at == due_at);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_record_shows_no_personal_data_and_is_leased_until_its_lease_ends() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let mut deletion = DeletionRecord::new("default", "ada", at(60));
        assert!(!deletion.is_leased(at(0)));
        deletion.leased_until = Some(at(90));
        assert!(deletion.is_leased(at(89)) && !deletion.is_leased(at(90)));
        let shown = format!("{deletion:?}");
        assert!(shown.starts_with("DeletionRecord { due_at: ") && !shown.contains("ada"), "{shown}");
    }
}
