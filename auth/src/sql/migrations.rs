//! Creates the library's tables, changes those of earlier versions, and records both in a history.

use super::check::{UsersDiffer, differences, exists};
use super::database::{Database, Dialect, Inner, IntoDatabase, Row};
#[cfg(any(feature = "postgres", feature = "mysql"))]
use super::schema::Step;
use super::schema::{Definition, Migration};
use super::statement::Statement;
use super::user_table::UserTable;
use super::{Table, users};
use crate::user::FieldNames;
use sqlx::migrate::{Migrate, MigrateError as SqlxError};
use std::fmt;
#[cfg(any(feature = "postgres", feature = "mysql"))]
use std::time::Duration;

/// The table of applied migrations. It is separate from the table of the host's own migrations: in a shared table,
/// each side would report the other's entries as missing migrations.
const HISTORY: &str = "_auth_migrations";

/// Generates [`Table`]. A row is: variant, module. The first row is the table of users.
macro_rules! tables {
    ($(#[$first_doc:meta])* $First:ident: $first:ident; $($(#[$doc:meta])* $Table:ident: $module:ident;)*) => {
        /// A table of the library.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Table {
            $(#[$first_doc])* $First,
            $($(#[$doc])* $Table,)*
        }

        impl Table {
            /// All tables, in the order in which they are created.
            pub const ALL: &'static [Self] = &[Self::$First, $(Self::$Table),*];

            /// All tables except for `users`, for a host that has a table of its users.
            pub const WITHOUT_USERS: &'static [Self] = &[$(Self::$Table),*];

            /// The table's name in the database.
            #[must_use]
            pub const fn name(self) -> &'static str {
                self.definition().name
            }

            pub(in crate::sql) const fn definition(self) -> &'static $crate::sql::schema::Definition {
                match self {
                    Self::$First => &$first::TABLE,
                    $(Self::$Table => &$module::TABLE,)*
                }
            }
        }
    };
}

pub(super) use tables;

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
    /// Transactions of others have kept a table locked that the library must change.
    #[error(
        "for a minute, a transaction has kept a table locked that the library must change: end the transaction (a backup, for example), \
         or migrate later"
    )]
    InUse,
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

/// Creates the library's tables, and changes those that an earlier version of the library has created. Call it at every start
/// of the host. It does nothing if there is nothing to do. If several processes start at once, one does the work and the
/// others wait for it.
///
/// If there is already a table `users` that the library has not created, it is used if it has everything that
/// [`SqlUsers::check`](super::SqlUsers::check) looks for, with columns of the standard names; this is recorded. The library
/// never changes such a table: the table is checked again only if a later version of the library needs more of it. A host whose
/// table or columns have other names calls [`migrate_only`] for the other tables.
///
/// The host's own sqlx migrations can run before or after. They can add columns to `users`, for example
/// `ALTER TABLE users ADD COLUMN plan TEXT NOT NULL DEFAULT 'free'`.
///
/// A table that is changed is locked for a moment. While a transaction of others uses the table, requests would wait behind the change: so
/// the change waits for a second, lets the requests pass, and is tried again for a minute. On PostgreSQL, an index is built with
/// `CREATE INDEX CONCURRENTLY`, during which rows are read and written.
///
/// # Errors
/// If the database cannot be read or written, or one of the tables exists but was not created by this function. Nothing is
/// created then.
pub async fn migrate(database: impl IntoDatabase) -> Result<(), MigrateError> {
    migrate_only(database, Table::ALL).await
}

/// Creates and changes only some of the library's tables. Otherwise it works like [`migrate`].
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
/// The errors of [`migrate`].
pub async fn migrate_only(database: impl IntoDatabase, tables: &[Table]) -> Result<(), MigrateError> {
    let tables: Vec<_> = tables.iter().map(|table| table.definition()).collect();
    apply_missing(&database.into_database(), &tables).await
}

/// The SQL of the migrations with a higher version than `after`.
#[cfg(feature = "command")]
pub(crate) fn migrations_as_sql(dialect: Dialect, tables: &[Table], after: i64) -> String {
    let tables: Vec<_> = tables.iter().map(|table| table.definition()).collect();
    let migrations = in_order(&tables).into_iter().filter(|(_, migration)| migration.version > after);
    let as_sql = |(table, migration): (&'static str, &Migration)| {
        let sqlx::migrate::Migration { version, description, sql, no_tx, .. } =
            migration.in_sqlx(table, dialect);
        let apart = if no_tx { ", outside of a transaction" } else { "" };
        format!(
            "-- version {version}: {description}{apart}\n{};\n",
            sql.as_str().trim_end().trim_end_matches(';')
        )
    };
    migrations.map(as_sql).collect::<Vec<_>>().join("\n")
}

/// The migrations of these tables in the order of their versions, each with the name of its table.
fn in_order<'t>(tables: &[&'t Definition]) -> Vec<(&'static str, &'t Migration)> {
    let named = |table: &&'t Definition| table.migrations.iter().map(|migration| (table.name, migration));
    let mut migrations: Vec<_> = tables.iter().flat_map(named).collect();
    migrations.sort_by_key(|(_, migration)| migration.version);
    migrations
}

/// Applies those migrations of these tables that the history does not have.
pub(super) async fn apply_missing(database: &Database, tables: &[&Definition]) -> Result<(), MigrateError> {
    let plan = Plan::new(database, tables).await?;
    match &database.0 {
        #[cfg(feature = "sqlite")]
        Inner::Sqlite(connections) => {
            // The lock of SQLite: nobody else can write until the end of the transaction.
            let mut transaction = connections.pool().begin_with("BEGIN IMMEDIATE").await?;
            plan.run(&mut *transaction, false).await?;
            Ok(transaction.commit().await?)
        }
        #[cfg(feature = "postgres")]
        Inner::Postgres(connections) => {
            let mut waiting = Waiting::default();
            while let Err(error) = plan.run_in_transaction(connections.pool()).await {
                waiting.after(error).await?;
            }
            plan.build_indexes(connections.pool()).await
        }
        #[cfg(feature = "mysql")]
        Inner::MySql(connections) => {
            let mut connection = connections.pool().acquire().await?;
            // The lock and the setting end with the connection.
            connection.close_on_drop();
            let lock = "SELECT GET_LOCK(CONCAT('axum-auth-module ', MD5(database())), 60) <=> 1";
            if !sqlx::query_scalar(lock).fetch_one(&mut *connection).await? {
                return Err(MigrateError::Locked);
            }
            sqlx::query("SET SESSION lock_wait_timeout = 1").execute(&mut *connection).await?;
            let mut waiting = Waiting::default();
            while let Err(error) = plan.run_after_repair(&mut connection).await {
                waiting.after(error).await?;
            }
            Ok(())
        }
    }
}

/// The attempts to get the lock of a table. Each waits for a second, because requests that use the table wait behind it. In the pause
/// they are served.
#[cfg(any(feature = "postgres", feature = "mysql"))]
#[derive(Default)]
struct Waiting {
    attempts: u32,
}

#[cfg(any(feature = "postgres", feature = "mysql"))]
impl Waiting {
    const PAUSE: Duration = Duration::from_millis(500);
    /// A minute of attempts and pauses.
    const ATTEMPTS: u32 = 40;

    /// Waits until the next attempt, if the last one has failed because a table is locked.
    async fn after(&mut self, error: MigrateError) -> Result<(), MigrateError> {
        if !is_of_a_lock(&error) {
            return Err(error);
        }
        self.attempts += 1;
        if self.attempts == Self::ATTEMPTS {
            return Err(MigrateError::InUse);
        }
        tokio::time::sleep(Self::PAUSE).await;
        Ok(())
    }
}

/// Whether a statement has waited too long for a lock.
#[cfg(any(feature = "postgres", feature = "mysql"))]
fn is_of_a_lock(error: &MigrateError) -> bool {
    let MigrateError::Database(SqlxError::Execute(error) | SqlxError::ExecuteMigration(error, _)) = error
    else {
        return false;
    };
    let Some(error) = error.as_database_error() else { return false };
    #[cfg(feature = "mysql")]
    if let Some(error) = error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
        return error.number() == 1205;
    }
    error.code().as_deref() == Some("55P03")
}

/// What a call does: it applies those of the migrations that the history does not have.
struct Plan<'t> {
    dialect: Dialect,
    migrations: Vec<(&'static str, &'t Migration)>,
    /// Whether the table of users is the host's own and has everything: its migrations are recorded, and not applied.
    has_users: bool,
}

impl<'t> Plan<'t> {
    /// Finds out which tables are not the library's. The lock is not held yet: whatever another process creates in between
    /// is in the history before it is visible.
    async fn new(database: &Database, tables: &[&'t Definition]) -> Result<Self, MigrateError> {
        let mut plan = Self { dialect: database.dialect(), migrations: in_order(tables), has_users: false };
        let mut existing = Vec::new();
        for table in tables {
            if exists(database, table.name).await? {
                existing.push(table);
            }
        }
        // It is read after the tables: a process that creates one meanwhile has recorded that before.
        let history = history(database).await?;
        for table in existing {
            let recorded =
                |migration: &Migration| history.iter().find(|row| row.version == migration.version);
            let is_complete = table.migrations.iter().all(|migration| recorded(migration).is_some());
            let is_users = table.name == users::TABLE.name;
            // Only the table of users can be the host's.
            let is_own = |row: &Recorded| row.applied || !is_users;
            if is_complete || table.migrations.iter().filter_map(recorded).any(is_own) {
                continue;
            }
            if !is_users {
                return Err(MigrateError::TableExists(table.name));
            }
            match differences(database, &UserTable::new(FieldNames::STANDARD), false).await? {
                Some(differ) => return Err(differ.into()),
                None => plan.has_users = true,
            }
        }
        Ok(plan)
    }

    /// Applies to PostgreSQL what can be part of a transaction: all of it or nothing.
    #[cfg(feature = "postgres")]
    async fn run_in_transaction(&self, pool: &sqlx::PgPool) -> Result<(), MigrateError> {
        let mut transaction = pool.begin().await?;
        // The table of applied migrations is created if it does not exist, and PostgreSQL would tell at every start that it does.
        sqlx::query("SET LOCAL client_min_messages = warning").execute(&mut *transaction).await?;
        // The number is arbitrary. The lock ends with the transaction.
        sqlx::query("SELECT pg_advisory_xact_lock(5280434411890115921)").execute(&mut *transaction).await?;
        // Not before the lock above, whose wait it would end, too.
        sqlx::query("SET LOCAL lock_timeout = '1s'").execute(&mut *transaction).await?;
        self.run(&mut *transaction, false).await?;
        Ok(transaction.commit().await?)
    }

    /// Builds the indexes that PostgreSQL cannot build in a transaction, if no other process is building them.
    #[cfg(feature = "postgres")]
    async fn build_indexes(&self, pool: &sqlx::PgPool) -> Result<(), MigrateError> {
        if !self.migrations.iter().any(|(_, migration)| migration.is_apart(self.dialect)) {
            return Ok(());
        }
        let mut connection = pool.acquire().await?;
        // The lock and the setting end with the connection.
        connection.close_on_drop();
        sqlx::query("SET client_min_messages = warning").execute(&mut *connection).await?;
        // A process that waited for the lock would keep the other one from its index, which waits for statements that have begun before.
        let lock = "SELECT pg_try_advisory_lock(5280434411890115922)";
        if !sqlx::query_scalar(lock).fetch_one(&mut *connection).await? {
            return Ok(());
        }
        for (table, migration) in &self.migrations {
            if let Step::Index { adds } = migration.step
                && !self.is_hosts(table)
            {
                drop_unfinished_index(&mut connection, table, adds).await?;
            }
        }
        self.run(&mut *connection, true).await
    }

    /// Applies to MySQL what has not been applied yet.
    #[cfg(feature = "mysql")]
    async fn run_after_repair(&self, connection: &mut sqlx::MySqlConnection) -> Result<(), MigrateError> {
        self.repair(connection).await?;
        self.run(connection, false).await
    }

    /// Whether a table is the host's own, which is never changed.
    fn is_hosts(&self, table: &str) -> bool {
        self.has_users && table == users::TABLE.name
    }

    /// Applies those migrations that have not been applied yet: the ones that must not be part of a transaction, or the others.
    async fn run(&self, connection: &mut impl Migrate, apart: bool) -> Result<(), MigrateError> {
        connection.ensure_migrations_table(HISTORY).await?;
        let applied = connection.list_applied_migrations(HISTORY).await?;
        for (table, migration) in &self.migrations {
            if migration.is_apart(self.dialect) != apart {
                continue;
            }
            let is_hosts = self.is_hosts(table);
            let migration = migration.in_sqlx(table, self.dialect);
            match applied.iter().find(|applied| applied.version == migration.version) {
                None if is_hosts => connection.skip(HISTORY, &migration).await?,
                None => {
                    connection.apply(HISTORY, &migration).await?;
                }
                Some(applied) if applied.checksum == migration.checksum => {}
                Some(_) => return Err(SqlxError::VersionMismatch(migration.version).into()),
            }
        }
        Ok(())
    }

    /// MySQL records a migration as unfinished before it creates or changes the table, and cannot take either back. If a
    /// process ended in between, this repairs the record: the migration is finished if the table has what the migration
    /// adds, and has not begun otherwise. An unfinished migration of a later version of the library is left to that version.
    #[cfg(feature = "mysql")]
    async fn repair(&self, connection: &mut sqlx::MySqlConnection) -> Result<(), MigrateError> {
        connection.ensure_migrations_table(HISTORY).await?;
        let unfinished = "SELECT version FROM _auth_migrations WHERE success = FALSE";
        let unfinished: Vec<i64> = sqlx::query_scalar(unfinished).fetch_all(&mut *connection).await?;
        for (table, migration) in &self.migrations {
            if !unfinished.contains(&migration.version) {
                continue;
            }
            let repair = if has_taken_place(connection, table, migration.step).await? {
                "UPDATE _auth_migrations SET success = TRUE, execution_time = 0 WHERE version = ?"
            } else {
                "DELETE FROM _auth_migrations WHERE version = ?"
            };
            sqlx::query(repair).bind(migration.version).execute(&mut *connection).await?;
        }
        Ok(())
    }
}

/// Drops an index that a process was building when it ended. PostgreSQL does not use it, and does not build it again if it exists.
#[cfg(feature = "postgres")]
async fn drop_unfinished_index(
    connection: &mut sqlx::PgConnection,
    table: &str,
    index: &str,
) -> Result<(), sqlx::Error> {
    let unfinished = "SELECT count(*) <> 0 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
                      WHERE indrelid = to_regclass($1) AND relname = $2 AND NOT indisvalid";
    if sqlx::query_scalar(unfinished).bind(table).bind(index).fetch_one(&mut *connection).await? {
        let drop = format!("DROP INDEX CONCURRENTLY {index}");
        sqlx::query(sqlx::AssertSqlSafe(drop)).execute(connection).await?;
    }
    Ok(())
}

/// Whether the table has what this step adds.
#[cfg(feature = "mysql")]
async fn has_taken_place(
    connection: &mut sqlx::MySqlConnection,
    table: &str,
    step: Step,
) -> Result<bool, sqlx::Error> {
    let (part, name) = match step {
        Step::Create => {
            ("SELECT table_schema, table_name, table_name AS part FROM information_schema.tables", table)
        }
        Step::Alter { adds } | Step::Index { adds } => (
            "SELECT table_schema, table_name, column_name AS part FROM information_schema.columns \
             UNION ALL SELECT table_schema, table_name, index_name FROM information_schema.statistics",
            adds,
        ),
    };
    let sql = format!(
        "SELECT count(*) <> 0 FROM ({part}) AS parts WHERE table_schema = database() AND table_name = ? AND part = ?"
    );
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(table).bind(name).fetch_one(connection).await
}

/// A row of the history.
struct Recorded {
    version: i64,
    /// Whether the library has applied the migration. Otherwise the table is the host's, and was found to have everything.
    applied: bool,
}

/// The migrations of all versions of the library that have been recorded.
async fn history(database: &Database) -> Result<Vec<Recorded>, sqlx::Error> {
    if !exists(database, HISTORY).await? {
        return Ok(Vec::new());
    }
    // sqlx records a migration that it skips with this time, and sets the time of others when they have been applied.
    let time = "CASE WHEN success THEN execution_time ELSE 0 END";
    let sql = format!("SELECT version, {time} AS execution_time FROM {HISTORY}");
    let rows = database.fetch(Statement::new(sql)).await?;
    let recorded = |row: &Row| {
        Ok(Recorded { version: row.get("version")?, applied: row.get::<i64>("execution_time")? != -1 })
    };
    rows.iter().map(recorded).collect()
}
