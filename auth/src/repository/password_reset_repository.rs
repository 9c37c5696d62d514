//! Where the host stores the hashes of reset tokens (specification §3.3).

use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::time::SystemTime;

provider! { resets;
/// Stores one reset token, as a hash, for each e-mail address.
///
/// An address here is a key of up to 512 bytes, the realm, a space and the address: several modules can share a repository. Keys are compared byte by byte, so a
/// column may need a binary collation. A hash has up to 255 characters of ASCII.
/// `axum_auth_module::testing::conformance::password_resets` checks an implementation in a test of your own.
///
/// `axum_auth_module::sql::SqlPasswordResets` and `axum_auth_module::testing::MemoryPasswordResets` are
/// implementations (cargo features `sqlite`, `testing`).
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: PASSWORD_RESET_REPOSITORY. Register an implementation of PasswordResetRepository.",
    label = "`{Self}` does not implement `PasswordResetRepository`",
    note = "write `impl axum_auth_module::repository::PasswordResetRepository for {Self}`, or use `axum_auth_module::sql::SqlPasswordResets` (cargo feature `sqlite`, `postgres` or `mysql`)"
)]
pub trait PasswordResetRepository: Send + Sync + 'static {
    /// Stores the hash of a token for an address, and replaces the previous one: only the newest token is valid. The latest
    /// call wins, also if its time is the earlier one, because clocks can be set back. Concurrent calls all succeed and leave
    /// one token, with the hash and the time of one call.
    ///
    /// `created_at` is the time of the library's clock in whole milliseconds; [`find_by_email`](Self::find_by_email) must
    /// return it unchanged. A MySQL `DATETIME` without fractions rounds it to a second, which can be in the future.
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError>; // needs #[async_trait]

    /// The token stored for an address, or `None`. An address without a token is not an error.
    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError>; // needs #[async_trait]

    /// Deletes the token of this address and of no other. It is not an error if there is none.
    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError>; // needs #[async_trait]

    provided!(dyn PasswordResetRepository);
}
}

/// A stored reset token: its hash and when it was created.
///
/// ```
/// use axum_auth_module::repository::StoredResetToken;
/// use std::time::SystemTime;
///
/// let stored = StoredResetToken::new("the hash of a row", SystemTime::now());
/// # assert_eq!(stored.token, "the hash of a row");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredResetToken {
    /// The token's hash.
    pub token: String,
    /// When it was created.
    pub created_at: SystemTime,
}

impl StoredResetToken {
    /// A token as a repository reads it: the hash and the time that [`PasswordResetRepository::create_token`] has stored.
    pub fn new(hashed_token: impl Into<String>, created_at: SystemTime) -> Self {
        Self { token: hashed_token.into(), created_at }
    }
}

#[cfg(feature = "testing")]
pub(crate) mod memory {
    use super::{PasswordResetRepository, RepositoryError, StoredResetToken};
    use async_trait::async_trait;
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::SystemTime;

    /// Reset tokens in memory, for tests. Clones share them.
    #[derive(Clone, Default)]
    pub struct MemoryPasswordResets(Arc<Mutex<HashMap<String, StoredResetToken>>>);

    impl MemoryPasswordResets {
        /// An empty repository.
        #[must_use]
        pub fn new() -> Self {
            Self::default()
        }

        fn tokens(&self) -> MutexGuard<'_, HashMap<String, StoredResetToken>> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    #[async_trait]
    #[diagnostic::do_not_recommend]
    impl PasswordResetRepository for MemoryPasswordResets {
        async fn create_token(
            &self,
            email: &str,
            hashed_token: &str,
            created_at: SystemTime,
        ) -> Result<(), RepositoryError> {
            let stored = StoredResetToken { token: hashed_token.to_owned(), created_at };
            self.tokens().insert(email.to_owned(), stored);
            Ok(())
        }

        async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
            Ok(self.tokens().get(email).cloned())
        }

        async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
            self.tokens().remove(email);
            Ok(())
        }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::memory::MemoryPasswordResets;
    use super::*;

    #[tokio::test]
    async fn the_newest_token_of_an_address_is_the_only_one() {
        let resets = MemoryPasswordResets::new();
        let (first, second) = (SystemTime::UNIX_EPOCH, SystemTime::now());
        resets.create_token("a@b.co", "first", first).await.unwrap();
        resets.create_token("a@b.co", "second", second).await.unwrap();
        let stored = resets.find_by_email("a@b.co").await.unwrap().unwrap();
        assert_eq!((stored.token.as_str(), stored.created_at), ("second", second));
        resets.delete_by_email("a@b.co").await.unwrap();
        resets.delete_by_email("a@b.co").await.unwrap();
        assert!(resets.find_by_email("a@b.co").await.unwrap().is_none());
    }
}
