//! The tables that the library brings, and their history.

use sqlx::migrate::{Migrate, MigrateError, Migration, MigrationType};
use sqlx::{SqlSafeStr, SqlitePool};

/// What has been applied is kept apart from the host's own migrations: in one table, each of the two would take the
/// other's entries for migrations that have gone missing.
const HISTORY: &str = "_auth_migrations";

/// Creates the library's tables `users` and `password_resets`, those of the two that are not there yet by an earlier
/// call. To be called at every start; of several processes at once, one does it and the others find it done.
///
/// A host's own sqlx migrations may run before or after. What `users` gets from them, they add as to any table:
/// `ALTER TABLE users ADD COLUMN plan TEXT NOT NULL DEFAULT 'free'`.
///
/// # Errors
/// When the database cannot be reached or written, or has one of the tables already and not from here. Nothing has
/// been created then.
pub async fn migrate(pool: &SqlitePool) -> Result<(), MigrateError> {
    run(pool, &[users(), password_resets()]).await
}

/// Creates the library's table `password_resets` alone, for a host that has a table of users of its own. Otherwise as
/// [`migrate`].
///
/// # Errors
/// As [`migrate`].
pub async fn migrate_password_resets(pool: &SqlitePool) -> Result<(), MigrateError> {
    run(pool, &[password_resets()]).await
}

// An entry is never changed after its release, not even in a comment: its checksum is in every host's database.

fn users() -> Migration {
    migration(1, "users", include_str!("migrations/1_users.sql"))
}

fn password_resets() -> Migration {
    migration(2, "password resets", include_str!("migrations/2_password_resets.sql"))
}

fn migration(version: i64, description: &'static str, sql: &'static str) -> Migration {
    Migration::new(version, description.into(), MigrationType::Simple, sql.into_sql_str(), false)
}

/// Runs those of the migrations that have not run, all or none of them.
///
/// It does what sqlx's `Migrator` does, but in one transaction, whose lock is taken before the history is read: sqlx
/// does not lock a SQLite database while it migrates, and of two processes that start at once one would fail.
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
