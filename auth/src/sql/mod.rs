//! Repositories over sqlx 0.9 for SQLite, generic over the host's struct (cargo feature `sqlite`).
//!
//! * [`SqlUsers`] is a [`UserRepository`](crate::repository::UserRepository) over the host's table of users, or the library's.
//! * [`SqlPasswordResets`] is a [`PasswordResetRepository`](crate::repository::PasswordResetRepository).
//! * [`migrate`] creates the library's tables. They live beside a host's own migrations.
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
//! # A table of the host's own
//!
//! It has the nine fields of specification §2.1 and whatever else the host keeps:
//!
//! ```
//! # use axum_auth_module::AuthUser;
//! # use axum_auth_module::sql::{InvalidIdentifier, SqlUsers};
//! # use axum_auth_module::user::UserField;
//! # fn repository<Account: AuthUser>(pool: sqlx::SqlitePool) -> Result<SqlUsers<Account>, InvalidIdentifier> {
//! SqlUsers::<Account>::new(pool).table("members")?.column(UserField::Name, "full_name")
//! # }
//! ```
//!
//! * The id is of any type that sqlx can bind. Either the table makes it (`INTEGER PRIMARY KEY`, a `DEFAULT`), or
//!   [`SqlUsers::new_ids`] does. The library's table makes 32 hexadecimal digits, to be read as a `String`.
//! * The e-mail column has a unique index. Addresses are written and looked up trimmed and lower-cased (specification §7.3);
//!   a host that has others in its table has to convert them first.
//! * The five fields that can be null have no `NOT NULL`; every column of the host's own has a default or is given
//!   in [`NewUser::extra`](crate::user::NewUser::extra).
//!
//! SQLite waits for another writer as long as the pool's `busy_timeout` says, and then fails; in WAL mode, readers do
//! not wait for writers.

mod email_taken;
mod identifier;
mod migrations;
mod password_resets;
mod statement;
mod user_table;
mod users;

#[cfg(test)]
mod tests;

pub use identifier::InvalidIdentifier;
pub use migrations::{migrate, migrate_password_resets};
pub use password_resets::SqlPasswordResets;
pub use users::SqlUsers;
