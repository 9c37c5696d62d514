//! Creates the library's tables, and records that in a history.

use super::check::{UsersDiffer, differences, exists};
use super::database::{Database, Dialect, Inner, IntoDatabase, PerDialect};
use super::user_table::UserTable;
use super::{audit, password_resets, sessions, store, users};
use crate::user::FieldNames;
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migrate, MigrateError as SqlxError, Migration, MigrationType};
use std::fmt;

/// The table of applied migrations. It is separate from the table of the host's own migrations: in a shared table,
/// each side would report the other's entries as missing migrations.
const HISTORY: &str = "_auth_migrations";

/// A table of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Table {
    /// `users`, for [`SqlUsers`](super::SqlUsers).
    Users,
    /// `password_resets`, for [`SqlPasswordResets`](super::SqlPasswordResets).
    PasswordResets,
    /// `auth_sessions`, for [`SqlSessions`](super::SqlSessions).
    AuthSessions,
    /// `auth_store`, for [`SqlStore`](super::SqlStore).
    AuthStore,
    /// `auth_audit`, for [`SqlAuditLog`](super::SqlAuditLog).
    AuthAudit,
}

impl Table {
    /// All tables, in the order of their migrations.
    pub const ALL: &'static [Self] =
        &[Self::Users, Self::PasswordResets, Self::AuthSessions, Self::AuthStore, Self::AuthAudit];

    /// The same without `users`, for a host that has a table of its users.
    pub const WITHOUT_USERS: &'static [Self] =
        &[Self::PasswordResets, Self::AuthSessions, Self::AuthStore, Self::AuthAudit];

    const fn definition(self) -> &'static Definition {
        match self {
            Self::Users => &users::TABLE,
            Self::PasswordResets => &password_resets::TABLE,
            Self::AuthSessions => &sessions::TABLE,
            Self::AuthStore => &store::TABLE,
            Self::AuthAudit => &audit::TABLE,
        }
    }
}

/// How a table is created.
pub(super) struct Definition {
    pub(super) version: i64,
    pub(super) name: &'static str,
    /// A released migration must never change, not even a comment in it: every host's database contains its checksum.
    pub(super) sql: PerDialect,
}

impl Definition {
    fn migration(&self, dialect: Dialect) -> Migration {
        let sql = dialect.choose(self.sql).into_sql_str();
        Migration::new(self.version, self.name.into(), MigrationType::Simple, sql, false)
    }
}

/// Why the tables could not be created.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// There is a table of users that the library has not created and cannot use.
    #[error(transparent)]
    UsersDiffer(#[from] UsersDiffer),
    /// There is another table with the name of one of the library's.
    #[error(
        "there is already a table `{0}` that the library has not created; rename it, or give the library's table another \
         name with `.table(…)` and create it with your own migrations"
    )]
    TableExists(&'static str),
    /// Another process holds the lock for longer than a minute.
    #[error("another process has been migrating this database for more than a minute")]
    Locked,
    /// The database failed, or an applied migration is not the one of this version of the library.
    #[error(transparent)]
    Database(#[from] SqlxError),
}

/// The same as `Display`, because `main` prints its error with `Debug`.
impl fmt::Debug for MigrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<sqlx::Error> for MigrateError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(SqlxError::Execute(error))
    }
}

/// Creates the library's tables, unless an earlier call has created them. Call it at every start of the host. If several
/// processes start at once, one creates the tables and the others wait for it.
///
/// If there is already a table `users` that the library has not created, it is used if it has everything that
/// [`SqlUsers::check`](super::SqlUsers::check) looks for, with columns of the standard names; this is recorded, and the
/// table is not checked again. A host whose table or columns have other names calls [`migrate_only`] for the other tables.
///
/// The host's own sqlx migrations can run before or after. They can add columns to `users`, for example
/// `ALTER TABLE users ADD COLUMN plan TEXT NOT NULL DEFAULT 'free'`.
///
/// # Errors
/// If the database cannot be read or written, or one of the tables exists but was not created by this function. Nothing is
/// created then.
pub async fn migrate(database: impl IntoDatabase) -> Result<(), MigrateError> {
    migrate_only(database, Table::ALL).await
}

/// Creates only some of the library's tables. Otherwise it works like [`migrate`].
///
/// ```
/// use axum_auth_module::sql::{MigrateError, Table, migrate_only};
///
/// // The users are in a table of the host.
/// # async fn tables(database: axum_auth_module::sql::Database) -> Result<(), MigrateError> {
/// migrate_only(database, Table::WITHOUT_USERS).await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// The same as of [`migrate`].
pub async fn migrate_only(database: impl IntoDatabase, tables: &[Table]) -> Result<(), MigrateError> {
    let database = database.into_database();
    let plan = Plan::new(&database, tables).await?;
    match &database.0 {
        #[cfg(feature = "sqlite")]
        Inner::Sqlite(connections) => {
            // The lock of SQLite: nobody else can write until the end of the transaction.
            let mut transaction = connections.pool().begin_with("BEGIN IMMEDIATE").await?;
            plan.run(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }
        #[cfg(feature = "postgres")]
        Inner::Postgres(connections) => {
            let mut transaction = connections.pool().begin().await?;
            // The table of applied migrations is created if it does not exist, and PostgreSQL would tell at every start that it does.
            sqlx::query("SET LOCAL client_min_messages = warning").execute(&mut *transaction).await?;
            // The number is arbitrary. The lock ends with the transaction.
            sqlx::query("SELECT pg_advisory_xact_lock(5280434411890115921)")
                .execute(&mut *transaction)
                .await?;
            plan.run(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        }
        #[cfg(feature = "mysql")]
        Inner::MySql(connections) => {
            let mut connection = connections.pool().acquire().await?;
            // The lock ends with the connection.
            connection.close_on_drop();
            let lock = "SELECT GET_LOCK(CONCAT('axum-auth-module ', MD5(database())), 60) <=> 1";
            if !sqlx::query_scalar(lock).fetch_one(&mut *connection).await? {
                return Err(MigrateError::Locked);
            }
            plan.repair(&mut connection).await?;
            plan.run(&mut *connection).await
        }
    }
}

/// The tables that a call creates.
struct Plan {
    dialect: Dialect,
    tables: Vec<&'static Definition>,
    /// Whether the table of users is the host's own, and can be used.
    has_users: bool,
}

impl Plan {
    /// Finds out which tables are not the library's. The lock is not held yet: whatever another process creates in between
    /// is in the history before it is visible.
    async fn new(database: &Database, tables: &[Table]) -> Result<Self, MigrateError> {
        let tables: Vec<_> = tables.iter().map(|table| table.definition()).collect();
        let mut plan = Self { dialect: database.dialect(), tables, has_users: false };
        for table in &plan.tables {
            if !exists(database, table.name).await? || is_recorded(database, table).await? {
                continue;
            }
            if table.version != users::TABLE.version {
                return Err(MigrateError::TableExists(table.name));
            }
            match differences(database, &UserTable::new(FieldNames::STANDARD), false).await? {
                Some(differ) => return Err(differ.into()),
                None => plan.has_users = true,
            }
        }
        Ok(plan)
    }

    /// Runs the migrations that have not run yet.
    async fn run(&self, connection: &mut impl Migrate) -> Result<(), MigrateError> {
        connection.ensure_migrations_table(HISTORY).await?;
        let applied = connection.list_applied_migrations(HISTORY).await?;
        for table in &self.tables {
            let migration = table.migration(self.dialect);
            match applied.iter().find(|applied| applied.version == migration.version) {
                None if self.has_users && table.version == users::TABLE.version => {
                    connection.skip(HISTORY, &migration).await?;
                }
                None => {
                    connection.apply(HISTORY, &migration).await?;
                }
                Some(applied) if applied.checksum == migration.checksum => {}
                Some(_) => return Err(SqlxError::VersionMismatch(migration.version).into()),
            }
        }
        Ok(())
    }

    /// MySQL records a migration as unfinished before it creates the table, and cannot take either back. If a process ended
    /// in between, this repairs the record: it is finished if the table exists, and has not begun otherwise.
    #[cfg(feature = "mysql")]
    async fn repair(&self, connection: &mut sqlx::MySqlConnection) -> Result<(), MigrateError> {
        connection.ensure_migrations_table(HISTORY).await?;
        while let Some(version) = connection.dirty_version(HISTORY).await? {
            let exists = "SELECT count(*) <> 0 FROM information_schema.tables \
                          WHERE table_schema = database() AND table_name = ?";
            let name =
                Table::ALL.iter().map(|table| table.definition()).find(|table| table.version == version);
            let exists = sqlx::query_scalar(exists).bind(name.map(|table| table.name));
            let repair = if exists.fetch_one(&mut *connection).await? {
                "UPDATE _auth_migrations SET success = TRUE WHERE version = ?"
            } else {
                "DELETE FROM _auth_migrations WHERE version = ?"
            };
            sqlx::query(repair).bind(version).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

/// Whether the history has the migration of a table.
async fn is_recorded(database: &Database, table: &Definition) -> Result<bool, sqlx::Error> {
    if !exists(database, HISTORY).await? {
        return Ok(false);
    }
    let sql = format!("SELECT version FROM {HISTORY} WHERE version = ?");
    let rows = database.fetch(super::statement::Statement::new(sql).with(table.version)).await?;
    Ok(!rows.is_empty())
}
