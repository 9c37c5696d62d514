//! Repositories over sqlx 0.9 for SQLite, PostgreSQL, and MySQL or MariaDB, generic over the host's struct (cargo features
//! `sqlite`, `postgres`, `mysql`; with TLS: `sql-tls`).
//!
//! * [`SqlUsers`] is a [`UserRepository`](crate::repository::UserRepository) over the host's user table or the
//!   library's.
//! * [`SqlPasswordResets`] is a [`PasswordResetRepository`](crate::repository::PasswordResetRepository).
//! * [`SqlPasskeys`] is a [`PasskeyRepository`](crate::repository::PasskeyRepository).
//! * [`SqlIdentities`] is an [`IdentityRepository`](crate::repository::IdentityRepository).
//! * [`SqlApiTokens`] is an [`ApiTokenRepository`](crate::repository::ApiTokenRepository).
//! * [`SqlDeletions`] is a [`DeletionRepository`](crate::repository::DeletionRepository).
//! * [`SqlSessions`] is a [`SessionRepository`](crate::repository::SessionRepository).
//! * [`SqlStore`] is an [`EphemeralStore`](crate::store::EphemeralStore).
//! * [`SqlAuditLog`] is an [`EventSink`](crate::events::EventSink) that keeps the events.
//! * [`migrate`] creates the library's tables. A host can have its own migrations, too.
//!
//! ```
//! use axum_auth_module::sql::{self, SqlPasswordResets, SqlUsers};
//! use axum_auth_module::AuthUser;
//! use axum_auth_module::repository::UserRepository;
//! use axum_auth_module::user::{NewUser, UserField};
//! use chrono::{DateTime, Utc};
//! use sqlx::sqlite::SqlitePoolOptions;
//!
//! #[derive(Clone, AuthUser, sqlx::FromRow)]
//! struct Account {
//!     id: String,
//!     name: String,
//!     email: String,
//!     password: String,
//!     email_verified_at: Option<DateTime<Utc>>,
//!     two_factor_secret: Option<String>,
//!     two_factor_recovery_codes: Option<String>,
//!     two_factor_confirmed_at: Option<DateTime<Utc>>,
//!     password_confirmed_at: Option<DateTime<Utc>>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), axum_auth_module::repository::RepositoryError> {
//! let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await?;
//! sql::migrate(&pool).await?;
//! let users = SqlUsers::<Account>::new(pool.clone());
//! let resets = SqlPasswordResets::new(pool);
//! # let _ = resets;
//!
//! let created = users.create(NewUser::new("Ada", "ada@example.org", "$2b$…")).await?;
//! let found = users.find_by_field(UserField::Email, "ada@example.org").await?;
//! assert_eq!(found.map(|account| account.id), Some(created.id));
//! # Ok(()) }
//! ```
//!
//! # A table of users that you already have
//!
//! [`migrate`] uses a table `users` that is already there if it has everything that the library needs. Otherwise its error
//! says what is missing, with the SQL to paste. If the table or its columns have other names:
//!
//! ```
//! use axum_auth_module::sql::{SqlUsers, Table, migrate_only};
//! use axum_auth_module::user::UserField;
//! # use axum_auth_module::{AuthUser, BoxError};
//! # use axum_auth_module::sql::{Database, UserIn};
//!
//! # async fn repository<Account: AuthUser + UserIn<Database>>(database: Database) -> Result<SqlUsers<Account>, BoxError> {
//! migrate_only(&database, Table::WITHOUT_USERS).await?;
//! let users = SqlUsers::<Account>::new(database).table("members")?.column(UserField::Name, "full_name")?;
//! users.check().await?;
//! # Ok(users) }
//! ```
//!
//! [`SqlUsers::check`] says the same about this table.
//!
//! * The id can have any type that sqlx can bind. Either the table generates it (`INTEGER PRIMARY KEY`, `bigserial`,
//!   `AUTO_INCREMENT`, a `DEFAULT`), or [`SqlUsers::new_ids`] does. The library's table generates 32 hexadecimal digits,
//!   for an id of type `String`.
//! * The e-mail column must have a unique index. Addresses are written and looked up trimmed and lower-cased
//!   (specification §7.3).
//! * The five nullable fields must not be `NOT NULL`. Every other column of the host must have a default or a value in
//!   [`NewUser::extra`](crate::user::NewUser::extra).
//!
//! # Pools
//!
//! The host makes the pool. A request waits for PostgreSQL and MySQL at most 1.5 seconds ([`Database::timeout`]), and is a
//! 503 response then. With SQLite, a write waits for another writer up to the pool's `busy_timeout`; in WAL mode, readers do
//! not wait for writers. Behind PgBouncer in transaction mode, set `statement_cache_capacity(0)` and call [`migrate`] over a
//! direct connection.
//!
//! MySQL 8 and later sends passwords only over TLS (cargo feature `sql-tls`) or encrypted with RSA (sqlx's feature
//! `mysql-rsa`). The adapters need MySQL 8.0.13, MariaDB 10.2 or PostgreSQL 13; they are tested with MariaDB 10.11 and
//! PostgreSQL 15.

mod api_tokens;
mod audit;
mod check;
mod database;
mod deletions;
mod identifier;
mod identities;
mod indexes;
mod migrations;
mod owned_rows;
mod passkeys;
mod password_resets;
mod schema;
mod sessions;
mod statement;
mod store;
mod taken;
mod user_table;
mod users;

#[cfg(test)]
#[cfg(all(
    feature = "sqlite",
    feature = "postgres",
    feature = "mysql",
    feature = "redis",
    feature = "testing"
))]
mod tests;

pub use api_tokens::SqlApiTokens;
pub use audit::{AuditCursor, AuditEntry, AuditPage, AuditQuery, InvalidAuditCursor, SqlAuditLog};
#[cfg(feature = "command")]
pub(crate) use check::TableCheck;
pub use check::{CheckError, UsersDiffer};
#[cfg(feature = "command")]
pub(crate) use database::Dialect;
pub use database::{Database, HostConnection, IntoDatabase, UserIn};
pub use deletions::SqlDeletions;
pub use identifier::InvalidIdentifier;
pub use identities::SqlIdentities;
#[cfg(feature = "command")]
pub(crate) use migrations::migrations_as_sql;
pub use migrations::{MigrateError, migrate, migrate_only};
pub use passkeys::SqlPasskeys;
pub use password_resets::SqlPasswordResets;
pub use sessions::SqlSessions;
pub use store::SqlStore;
pub use users::SqlUsers;

#[doc(no_inline)]
pub use crate::user::UserField;

migrations::tables! {
    /// `users`, for [`SqlUsers`].
    Users: users;
    /// `password_resets`, for [`SqlPasswordResets`].
    PasswordResets: password_resets;
    /// `auth_sessions`, for [`SqlSessions`].
    AuthSessions: sessions;
    /// `auth_store`, for [`SqlStore`].
    AuthStore: store;
    /// `auth_audit`, for [`SqlAuditLog`].
    AuthAudit: audit;
    /// `auth_passkeys`, for [`SqlPasskeys`].
    AuthPasskeys: passkeys;
    /// `auth_identities`, for [`SqlIdentities`].
    AuthIdentities: identities;
    /// `auth_deletions`, for [`SqlDeletions`].
    AuthDeletions: deletions;
    /// `auth_api_tokens`, for [`SqlApiTokens`].
    AuthApiTokens: api_tokens;
}
