//! The repository of reset tokens over SQLite.

use super::identifier::{Identifier, InvalidIdentifier};
use super::migrations::Table;
use super::statement::utc;
use crate::repository::RepositoryError;
use crate::repository::{PasswordResetRepository, StoredResetToken};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, SqlitePool};
use std::time::SystemTime;

/// A [`PasswordResetRepository`] over a table of a SQLite database (specification §22.2).
///
/// The table has the TEXT columns `email` (the primary key), `token` and `created_at`; [`migrate`](super::migrate) creates
/// it. Clones share the pool.
#[derive(Clone)]
pub struct SqlPasswordResets {
    pool: SqlitePool,
    table: Identifier,
}

impl SqlPasswordResets {
    /// The tokens in the table `password_resets` of this database.
    #[must_use]
    pub const fn new(pool: SqlitePool) -> Self {
        Self { pool, table: Identifier::from_source("password_resets") }
    }

    /// Uses another table than `password_resets`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(mut self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        self.table = Identifier::new(name)?;
        Ok(self)
    }
}

pub(super) const TABLE: Table = Table {
    version: 2,
    name: "password_resets",
    sql: "\
-- One reset token for each address, as a hash (specification §3.3). The time is TEXT in the form of RFC 3339.
CREATE TABLE password_resets (
    email      TEXT PRIMARY KEY NOT NULL,
    token      TEXT NOT NULL,
    created_at TEXT NOT NULL
);
",
};

#[async_trait]
#[diagnostic::do_not_recommend]
impl PasswordResetRepository for SqlPasswordResets {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        // The latest call wins even if its time is earlier: after a clock was set back, an old token must not remain.
        let sql = format!(
            "INSERT INTO {} (email, token, created_at) VALUES (?, ?, ?) \
             ON CONFLICT (email) DO UPDATE SET token = excluded.token, created_at = excluded.created_at",
            self.table
        );
        let created_at = utc(created_at)?;
        sqlx::query(AssertSqlSafe(sql))
            .bind(email)
            .bind(hashed_token)
            .bind(created_at)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        let sql = format!("SELECT token, created_at FROM {} WHERE email = ?", self.table);
        let stored: Option<(String, DateTime<Utc>)> =
            sqlx::query_as(AssertSqlSafe(sql)).bind(email).fetch_optional(&self.pool).await?;
        Ok(stored.map(|(token, created_at)| StoredResetToken { token, created_at: created_at.into() }))
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        let sql = format!("DELETE FROM {} WHERE email = ?", self.table);
        sqlx::query(AssertSqlSafe(sql)).bind(email).execute(&self.pool).await?;
        Ok(())
    }
}
