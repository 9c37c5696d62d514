//! Where the host stores its users (specification §3.2, `USER_REPOSITORY`).

use crate::repository::RepositoryError;
use crate::user::{AuthUser, NewUser, UserField, UserPatch};
use async_trait::async_trait;
use std::sync::Arc;

/// Reads and writes the host's user records. Required.
///
/// `axum_auth_module::sql::SqlUsers` and `axum_auth_module::testing::MemoryUsers` are implementations (cargo features
/// `sqlite`, `testing`). A repository of a host's own:
///
/// ```
/// use axum_auth_module::{AuthUser, async_trait};
/// use axum_auth_module::repository::{RepositoryError, UserRepository};
/// use axum_auth_module::user::{NewUser, UserField, UserPatch};
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
/// # struct Database;
/// # impl Database {
/// #   async fn account_where(&self, _: &str, _: &str) -> std::io::Result<Option<Account>> { Ok(None) }
/// #   async fn write(&self, _: UserPatch<Account>) -> std::io::Result<Account> { Err(std::io::ErrorKind::Unsupported.into()) }
/// #   async fn insert(&self, _: NewUser) -> std::io::Result<Account> { Err(std::io::ErrorKind::Unsupported.into()) }
/// # }
///
/// struct Accounts(Database);
///
/// #[async_trait]
/// impl UserRepository for Accounts {
///     type User = Account;
///
///     async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
///         Ok(self.0.account_where("id", &id.to_string()).await?)
///     }
///     async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
///         Ok(self.0.account_where(Account::FIELD_NAMES.of(field), value).await?)
///     }
///     async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
///         Ok(self.0.write(patch).await?)
///     }
///     async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
///         Ok(self.0.insert(user).await?)
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: USER_REPOSITORY. Register an implementation of UserRepository.",
    label = "`{Self}` does not implement `UserRepository`",
    note = "write `impl axum_auth_module::repository::UserRepository for {Self}`, or use `axum_auth_module::sql::SqlUsers` (cargo feature `sqlite`)"
)]
pub trait UserRepository: Send + Sync + 'static {
    /// The host's user record.
    type User: AuthUser;

    /// The user with this id.
    async fn find_by_id(
        &self,
        id: &<Self::User as AuthUser>::Id,
    ) -> Result<Option<Self::User>, RepositoryError>;

    /// The user whose field has this value. The library uses only `email`, always in its canonical form.
    async fn find_by_field(
        &self,
        field: UserField,
        value: &str,
    ) -> Result<Option<Self::User>, RepositoryError>;

    /// Writes the fields that the patch names, leaves all others unchanged, and returns the saved record.
    ///
    /// A conditional patch ([`UserPatch::conditions`]) must be checked and applied in one step, as an SQL
    /// `UPDATE … WHERE` is. If a condition is not met, the method returns [`RepositoryError::Stale`].
    async fn save(&self, patch: UserPatch<Self::User>) -> Result<Self::User, RepositoryError>;

    /// Creates a user and returns the record with its id. A second user with the same address is
    /// [`RepositoryError::EmailTaken`], which only the database itself can decide.
    async fn create(&self, user: NewUser) -> Result<Self::User, RepositoryError>;

    // Not `provided!`: the user type is a parameter, because rustc would report an associated type as missing as well.
    #[doc(hidden)]
    fn provided<U: AuthUser>(this: Arc<Self>) -> Arc<dyn UserRepository<User = U>>
    where
        Self: UserRepository<User = U> + Sized,
    {
        this
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<R: UserRepository + ?Sized> UserRepository for Arc<R> {
    type User = R::User;

    async fn find_by_id(
        &self,
        id: &<Self::User as AuthUser>::Id,
    ) -> Result<Option<Self::User>, RepositoryError> {
        (**self).find_by_id(id).await
    }

    async fn find_by_field(
        &self,
        field: UserField,
        value: &str,
    ) -> Result<Option<Self::User>, RepositoryError> {
        (**self).find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Self::User>) -> Result<Self::User, RepositoryError> {
        (**self).save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Self::User, RepositoryError> {
        (**self).create(user).await
    }
}
