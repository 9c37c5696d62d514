//! Where the host stores the API tokens of its users (specification §3.13).

use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::fmt;
use std::time::SystemTime;

provider! { api_tokens;
/// Stores the API tokens, one row for each: with it a program acts for a user at routes of the host.
///
/// An implementation stores rows and compares texts; it never sees the secret of a token. A user id here is a key of up to 512 bytes, the
/// realm, a space and the id, which can be any Unicode: several modules can share a repository. Ids and user ids are compared byte by
/// byte, so a column may need a binary collation. Times are whole milliseconds and must read back unchanged. [`ApiTokenRecord`] says how
/// large each field can be. `axum_auth_module::testing::conformance::api_tokens` checks an implementation in a test of your own.
///
/// `axum_auth_module::sql::SqlApiTokens` and `axum_auth_module::testing::MemoryApiTokens` are implementations (cargo features
/// `sqlite`, `testing`).
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: API_TOKEN_REPOSITORY. Register an implementation of ApiTokenRepository.",
    label = "`{Self}` does not implement `ApiTokenRepository`",
    note = "write `impl axum_auth_module::repository::ApiTokenRepository for {Self}`, or use `axum_auth_module::sql::SqlApiTokens` (cargo feature `sqlite`, `postgres` or `mysql`)"
)]
pub trait ApiTokenRepository: Send + Sync + 'static {
    /// Stores a new token with all its fields, and returns `true`. If there is one with this id, it returns `false` and changes nothing,
    /// as an SQL `INSERT … ON CONFLICT (id) DO NOTHING` does.
    async fn insert(&self, token: ApiTokenRecord) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// The token with this id, or `None`, which is not an error. Every request with an API token calls it. Ids that differ in case are
    /// different ids.
    async fn find_by_id(&self, id: &str) -> Result<Option<ApiTokenRecord>, RepositoryError>; // needs #[async_trait]

    /// The tokens of a user, in any order, also those that have expired. User ids that differ in case, by an accent or by a space at the
    /// end are different users.
    async fn find_by_user(&self, user_id: &str) -> Result<Vec<ApiTokenRecord>, RepositoryError>; // needs #[async_trait]

    /// Writes `at` as the `last_used_at` of the token with this id if that is `None`, or `before` or earlier, and no other field. Returns
    /// whether it has written.
    ///
    /// Both happen in one step, as an SQL `UPDATE … WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?)` does: of any number of
    /// concurrent calls with one `before` and a later `at`, one returns `true`. A token that does not exist, or that is deleted at the
    /// same time, is `false` and is not created again.
    async fn record_use(&self, id: &str, before: SystemTime, at: SystemTime) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Deletes the token with this id of this user. Returns `false` and deletes nothing if this user has none with this id, also if
    /// another user has. No concurrent operation brings it back.
    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Deletes all tokens of a user, and returns their number.
    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError>; // needs #[async_trait]

    /// Deletes tokens with `expires_at` up to and including `now`, of all users, at most so many. Returns their number, which is 0 only
    /// if none is left.
    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError>; // needs #[async_trait]

    provided!(dyn ApiTokenRepository);
}
}

/// A stored API token.
///
/// It has no public constructor with all fields, because later versions can add some: an implementation starts with
/// [`ApiTokenRecord::new`] and sets the others.
///
/// ```
/// use axum_auth_module::repository::ApiTokenRecord;
/// use std::time::{Duration, SystemTime};
///
/// // As a repository reads it from a row.
/// let (hash, created_at) = ([7; 32], SystemTime::now());
/// let mut token = ApiTokenRecord::new("4fQz0aB7xK2m", "default 7", hash, created_at, created_at + Duration::from_secs(86_400));
/// token.name = "Nightly backup".to_owned();
/// token.scopes = vec!["orders:read".to_owned()];
/// token.last_four = "9uKd".to_owned();
/// # assert_eq!((token.id.as_str(), token.last_used_at), ("4fQz0aB7xK2m", None));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiTokenRecord {
    /// The library's id of the token: 12 ASCII letters and digits, in which case matters. It is not a secret.
    pub id: String,
    /// Whose it is: the realm, a space, and the user's id in its printed form. Up to 512 bytes of any Unicode.
    pub user_id: String,
    /// What the user calls it: 1 to 64 characters of any Unicode.
    pub name: String,
    /// What it may do: 1 to 64 different texts of 1 to 64 lower-case ASCII letters, digits and `:`, `.`, `_`, `-`. Their order stays.
    pub scopes: Vec<String>,
    /// The SHA-256 of the secret.
    pub secret_hash: [u8; 32],
    /// The last four characters of the token's text: ASCII letters and digits.
    pub last_four: String,
    /// When it was created.
    pub created_at: SystemTime,
    /// From when on it is invalid.
    pub expires_at: SystemTime,
    /// When it was last used, up to a minute ago.
    pub last_used_at: Option<SystemTime>,
}

impl ApiTokenRecord {
    /// A token that was never used and of which nothing else is known: it has no name and no scopes.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        user_id: impl Into<String>,
        secret_hash: [u8; 32],
        created_at: SystemTime,
        expires_at: SystemTime,
    ) -> Self {
        Self {
            id: id.into(),
            user_id: user_id.into(),
            name: String::new(),
            scopes: Vec::new(),
            secret_hash,
            last_four: String::new(),
            created_at,
            expires_at,
            last_used_at: None,
        }
    }
}

/// Shows neither the hash nor personal data.
impl fmt::Debug for ApiTokenRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, scopes, created_at, expires_at, .. } = self;
        f.debug_struct("ApiTokenRecord")
            .field("id", id)
            .field("scopes", scopes)
            .field("created_at", created_at)
            .field("expires_at", expires_at)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "testing")]
pub(crate) mod memory {
    use super::{ApiTokenRecord, ApiTokenRepository, RepositoryError};
    use async_trait::async_trait;
    use std::collections::HashMap;
    use std::collections::hash_map::Entry;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::SystemTime;

    /// API tokens in memory, for tests. Clones share them.
    #[derive(Clone, Default)]
    pub struct MemoryApiTokens(Arc<Mutex<ById>>);

    type ById = HashMap<String, ApiTokenRecord>;

    impl MemoryApiTokens {
        /// An empty repository.
        #[must_use]
        pub fn new() -> Self {
            Self::default()
        }

        fn rows(&self) -> MutexGuard<'_, ById> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Deletes those for which the condition holds, and returns their number.
        fn delete_where(&self, mut is_gone: impl FnMut(&ApiTokenRecord) -> bool) -> u64 {
            let mut tokens = self.rows();
            let before = tokens.len();
            tokens.retain(|_, token| !is_gone(token));
            (before - tokens.len()) as u64
        }
    }

    #[async_trait]
    #[diagnostic::do_not_recommend]
    impl ApiTokenRepository for MemoryApiTokens {
        async fn insert(&self, token: ApiTokenRecord) -> Result<bool, RepositoryError> {
            match self.rows().entry(token.id.clone()) {
                Entry::Occupied(_) => Ok(false),
                Entry::Vacant(place) => {
                    place.insert(token);
                    Ok(true)
                }
            }
        }

        async fn find_by_id(&self, id: &str) -> Result<Option<ApiTokenRecord>, RepositoryError> {
            Ok(self.rows().get(id).cloned())
        }

        async fn find_by_user(&self, user_id: &str) -> Result<Vec<ApiTokenRecord>, RepositoryError> {
            Ok(self.rows().values().filter(|token| token.user_id == user_id).cloned().collect())
        }

        async fn record_use(
            &self,
            id: &str,
            before: SystemTime,
            at: SystemTime,
        ) -> Result<bool, RepositoryError> {
            let mut tokens = self.rows();
            let is_old = |token: &&mut ApiTokenRecord| token.last_used_at.is_none_or(|last| last <= before);
            let Some(token) = tokens.get_mut(id).filter(is_old) else { return Ok(false) };
            token.last_used_at = Some(at);
            Ok(true)
        }

        async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
            Ok(self.delete_where(|token| token.id == id && token.user_id == user_id) == 1)
        }

        async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
            Ok(self.delete_where(|token| token.user_id == user_id))
        }

        async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
            let mut left = at_most;
            let is_gone = |token: &ApiTokenRecord| {
                let is_gone = left > 0 && token.expires_at <= now;
                left -= u32::from(is_gone);
                is_gone
            };
            Ok(self.delete_where(is_gone))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_shows_neither_the_hash_nor_personal_data() {
        let at = SystemTime::UNIX_EPOCH;
        let mut token = ApiTokenRecord::new("4fQz0aB7xK2m", "default ada", [7; 32], at, at);
        (token.name, token.scopes) = ("Nightly backup".to_owned(), vec!["orders:read".to_owned()]);
        let shown = format!("{token:?}");
        let begin = "ApiTokenRecord { id: \"4fQz0aB7xK2m\", scopes: [\"orders:read\"], created_at: ";
        assert!(shown.starts_with(begin), "{shown}");
        assert!(!["ada", "backup", "7, 7"].iter().any(|text| shown.contains(text)), "{shown}");
    }
}
