//! The library's tables, and the history of their migrations.

use super::TABLES;
use super::users::TABLE as USERS;
use sqlx::migrate::{Migrate, MigrateError, Migration, MigrationType};
use sqlx::{SqlSafeStr, SqlitePool};

/// The table of applied migrations. It is separate from the table of the host's own migrations: in a shared table,
/// each side would report the other's entries as missing migrations.
const HISTORY: &str = "_auth_migrations";

/// Creates the library's tables, unless an earlier call has created them. Call it at every start of the host. If several processes start at once, one creates the tables and the others wait for it.
///
/// The host's own sqlx migrations can run before or after. They can add columns to `users`, for example
/// `ALTER TABLE users ADD COLUMN plan TEXT NOT NULL DEFAULT 'free'`.
///
/// # Errors
/// If the database cannot be read or written, or if one of the tables exists but was not created by this function.
/// Nothing is created then.
pub async fn migrate(pool: &SqlitePool) -> Result<(), MigrateError> {
    run(pool, TABLES).await
}

/// Creates all of the library's tables but `users`, for a host with its own user table. Otherwise it works like
/// [`migrate`].
///
/// # Errors
/// The same as of [`migrate`].
pub async fn migrate_without_users(pool: &SqlitePool) -> Result<(), MigrateError> {
    let others: Vec<_> = TABLES.iter().copied().filter(|table| table.name != USERS.name).collect();
    run(pool, &others).await
}

/// A table of the library and the migration that creates it.
#[derive(Clone, Copy)]
pub(super) struct Table {
    pub(super) version: i64,
    pub(super) name: &'static str,
    /// A released migration must never change, not even a comment in it: every host's database contains its checksum.
    pub(super) sql: &'static str,
}

impl Table {
    fn migration(&self) -> Migration {
        let Self { version, name, sql } = *self;
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    }
}

/// Runs the migrations that have not run yet: all or none of them.
///
/// It works like sqlx's `Migrator`, but in one transaction that locks the database before it reads the history. sqlx
/// does not lock a SQLite database while it migrates, so one of two processes that start at once would fail.
async fn run(pool: &SqlitePool, tables: &[Table]) -> Result<(), MigrateError> {
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    transaction.ensure_migrations_table(HISTORY).await?;
    let applied = transaction.list_applied_migrations(HISTORY).await?;
    for migration in tables.iter().map(Table::migration) {
        match applied.iter().find(|applied| applied.version == migration.version) {
            None => {
                transaction.apply(HISTORY, &migration).await?;
            }
            Some(applied) if applied.checksum == migration.checksum => {}
            Some(_) => return Err(MigrateError::VersionMismatch(migration.version)),
        }
    }
    Ok(transaction.commit().await?)
}
