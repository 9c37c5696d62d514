//! The library's tables, and the history of their migrations.

use sqlx::migrate::{Migrate, MigrateError, Migration, MigrationType};
use sqlx::{SqlSafeStr, SqlitePool};

/// The table of applied migrations. It is separate from the table of the host's own migrations: in a shared table,
/// each side would report the other's entries as missing migrations.
const HISTORY: &str = "_auth_migrations";

/// Creates the library's tables `users` and `password_resets`, unless an earlier call has created them. Call it at
/// every start of the host. If several processes start at once, one creates the tables and the others wait for it.
///
/// The host's own sqlx migrations can run before or after. They can add columns to `users`, for example
/// `ALTER TABLE users ADD COLUMN plan TEXT NOT NULL DEFAULT 'free'`.
///
/// # Errors
/// If the database cannot be read or written, or if one of the tables exists but was not created by this function.
/// Nothing is created then.
pub async fn migrate(pool: &SqlitePool) -> Result<(), MigrateError> {
    run(pool, &[users(), password_resets()]).await
}

/// Creates only the library's table `password_resets`, for a host with its own user table. Otherwise it works like
/// [`migrate`].
///
/// # Errors
/// The same as of [`migrate`].
pub async fn migrate_password_resets(pool: &SqlitePool) -> Result<(), MigrateError> {
    run(pool, &[password_resets()]).await
}

// A released migration must never change, not even a comment in it: every host's database contains its checksum.

fn users() -> Migration {
    migration(1, "users", include_str!("migrations/1_users.sql"))
}

fn password_resets() -> Migration {
    migration(2, "password resets", include_str!("migrations/2_password_resets.sql"))
}

fn migration(version: i64, description: &'static str, sql: &'static str) -> Migration {
    Migration::new(version, description.into(), MigrationType::Simple, sql.into_sql_str(), false)
}

/// Runs the migrations that have not run yet: all or none of them.
///
/// It works like sqlx's `Migrator`, but in one transaction that locks the database before it reads the history. sqlx
/// does not lock a SQLite database while it migrates, so one of two processes that start at once would fail.
async fn run(pool: &SqlitePool, migrations: &[Migration]) -> Result<(), MigrateError> {
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    transaction.ensure_migrations_table(HISTORY).await?;
    let applied = transaction.list_applied_migrations(HISTORY).await?;
    for migration in migrations {
        match applied.iter().find(|applied| applied.version == migration.version) {
            None => {
                transaction.apply(HISTORY, migration).await?;
            }
            Some(applied) if applied.checksum == migration.checksum => {}
            Some(_) => return Err(MigrateError::VersionMismatch(migration.version)),
        }
    }
    Ok(transaction.commit().await?)
}
