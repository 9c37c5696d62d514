//! Where the host stores its users (specification §3.2, `USER_REPOSITORY`).

use crate::provider::declare::provider;
use crate::repository::RepositoryError;
use crate::user::{AuthUser, NewUser, UserField, UserPatch};
use async_trait::async_trait;
use std::sync::Arc;

provider! { users;
/// Reads and writes the host's user records. Required.
///
/// Texts are any Unicode and are compared byte by byte, so a column may need a binary collation. There must be room for a
/// name of 255 characters, an address of 254 bytes, a hash of 255 characters, a secret of 1 KiB and recovery codes of 8 KiB.
/// Times are whole seconds and must read back as the same second. `axum_auth_module::testing::conformance::users` checks
/// all of this in a test of your own.
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
    note = "write `impl axum_auth_module::repository::UserRepository for {Self}`, or use `axum_auth_module::sql::SqlUsers` (cargo feature `sqlite`, `postgres` or `mysql`)",
    note = "a `Result` is no repository: write `?` behind it, as in `SqlUsers::<Account>::new(pool).table(\"members\")?`"
)]
pub trait UserRepository: Send + Sync + 'static {
    /// The host's user record.
    type User: AuthUser;

    /// The user with this id, or `None`. An id that no user has is not an error.
    async fn find_by_id(
        &self,
        id: &<Self::User as AuthUser>::Id,
    ) -> Result<Option<Self::User>, RepositoryError>; // needs #[async_trait]

    /// The user whose field has this value, or `None`. The library asks for `email` and, with USERNAMES, for
    /// `username`, always in their canonical forms. They are compared byte by byte: a text that differs in case, by an accent or by a
    /// space finds nobody.
    async fn find_by_field(
        &self,
        field: UserField,
        value: &str,
    ) -> Result<Option<Self::User>, RepositoryError>; // needs #[async_trait]

    /// Writes the fields that the patch names, leaves all others unchanged, and returns the saved record. It does not write
    /// back a whole record that was read before, because that would undo concurrent patches of other fields.
    ///
    /// A conditional patch ([`UserPatch::conditions`]) must be checked and applied in one step, as an SQL
    /// `UPDATE … WHERE` is: of several concurrent patches that expect the same hash, one applies. All conditions must be met.
    /// A null condition is met by a field that is null and by no other (`IS NULL`; in SQL, `= NULL` is never true), and a
    /// value is never equal to null. Texts are compared byte by byte. A condition can be about a field that the patch writes;
    /// then it is about the value before.
    ///
    /// A patch without changes writes nothing and returns the record, if its conditions are met. A `None` in a change sets the
    /// field to null.
    ///
    /// # Errors
    /// * [`RepositoryError::Stale`] if a condition is not met. Nothing is written.
    /// * [`RepositoryError::EmailTaken`] if the patch has the address of another user. Nothing is written. The user's own
    ///   address is allowed.
    /// * [`RepositoryError::UsernameTaken`] if the patch has the user name of another user, in a record with a user name, and not the
    ///   address of another user. Nothing is written. The user's own user name is allowed.
    /// * [`RepositoryError::Other`] if no user has this id, with or without conditions. No user is created.
    async fn save(&self, patch: UserPatch<Self::User>) -> Result<Self::User, RepositoryError>; // needs #[async_trait]

    /// Creates a user and returns the record with its id. All nullable fields are null.
    ///
    /// # Errors
    /// [`RepositoryError::EmailTaken`] if another user has this address. Of several concurrent calls with one address, one
    /// succeeds; only a unique index of the database can decide that. An address that its user has given up is free.
    /// The same holds for [`RepositoryError::UsernameTaken`] and the user name of a record that has one. If both are taken, the
    /// error is `EmailTaken`. Records without a user name do not exclude each other.
    async fn create(&self, user: NewUser) -> Result<Self::User, RepositoryError>; // needs #[async_trait]

    // Not `provided!`: the user type is a parameter, because rustc would report an associated type as missing as well.
    #[doc(hidden)]
    fn provided<U: AuthUser>(this: Arc<Self>) -> Arc<dyn UserRepository<User = U>>
    where
        Self: UserRepository<User = U> + Sized,
    {
        this
    }
}
}
