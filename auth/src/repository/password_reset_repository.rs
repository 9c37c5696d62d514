//! Where the host stores the hashes of reset tokens (specification §3.3).

use crate::erase::provided;
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::SystemTime;

/// Stores one reset token, as a hash, for each e-mail address.
///
/// `axum_auth_module::sql::SqlPasswordResets` and `axum_auth_module::testing::MemoryPasswordResets` are
/// implementations (cargo features `sqlite`, `testing`).
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: PASSWORD_RESET_REPOSITORY. Register an implementation of PasswordResetRepository.",
    label = "`{Self}` does not implement `PasswordResetRepository`",
    note = "write `impl axum_auth_module::repository::PasswordResetRepository for {Self}`, or use `axum_auth_module::sql::SqlPasswordResets` (cargo feature `sqlite`)"
)]
pub trait PasswordResetRepository: Send + Sync + 'static {
    /// Stores the hash of a token for an address, and replaces the previous one: only the newest token is valid.
    /// `created_at` is the time of the library's clock; [`find_by_email`](Self::find_by_email) must return it unchanged.
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError>;

    /// The token stored for an address.
    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError>;

    /// Deletes the token of an address. It is not an error if there is none.
    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError>;

    provided!(dyn PasswordResetRepository);
}

/// A stored reset token: its hash and when it was created.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredResetToken {
    /// The token's hash.
    pub token: String,
    /// When it was created.
    pub created_at: SystemTime,
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<R: PasswordResetRepository + ?Sized> PasswordResetRepository for Arc<R> {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        (**self).create_token(email, hashed_token, created_at).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        (**self).find_by_email(email).await
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        (**self).delete_by_email(email).await
    }
}
