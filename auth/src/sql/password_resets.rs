//! The repository of reset tokens over SQL.

use super::database::{Database, IntoDatabase, PerDialect, repository_error};
use super::identifier::{Identifier, InvalidIdentifier};
use super::schema::{Definition, Migration, Step};
use super::statement::{Statement, utc};
use crate::repository::RepositoryError;
use crate::repository::{PasswordResetRepository, StoredResetToken};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::time::SystemTime;

/// A [`PasswordResetRepository`] over a table of a database (specification §22.2).
///
/// The table has the columns `email` (the primary key), `token` and `created_at`; [`migrate`](super::migrate) creates it.
/// Clones share the pool.
#[derive(Clone)]
pub struct SqlPasswordResets {
    database: Database,
    table: Identifier,
}

impl SqlPasswordResets {
    /// The tokens in the table `password_resets` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self { database: database.into_database(), table: Identifier::from_source("password_resets") }
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

    async fn execute(&self, statement: Statement) -> Result<(), RepositoryError> {
        self.database.execute(statement).await.map(drop).map_err(repository_error)
    }
}

pub(super) const TABLE: Definition = Definition { name: "password_resets", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 2,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- One reset token for each address, as a hash (specification §3.3). The time is TEXT in the form of RFC 3339.
CREATE TABLE password_resets (
    email      TEXT PRIMARY KEY NOT NULL,
    token      TEXT NOT NULL,
    created_at TEXT NOT NULL
);
",
        postgres: "\
-- One reset token for each address, as a hash (specification §3.3).
CREATE TABLE password_resets (
    email      text PRIMARY KEY,
    token      text NOT NULL,
    created_at timestamptz NOT NULL
);
",
        mysql: "\
-- One reset token for each address, as a hash (specification §3.3). Times are in UTC.
CREATE TABLE password_resets (
    email      varbinary(512) PRIMARY KEY,
    token      varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    created_at datetime(6) NOT NULL
) ENGINE = InnoDB
",
    },
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
        let replace = self.database.dialect().choose(PerDialect {
            sqlite: "ON CONFLICT (email) DO UPDATE SET token = excluded.token, created_at = excluded.created_at",
            postgres: "ON CONFLICT (email) DO UPDATE SET token = excluded.token, created_at = excluded.created_at",
            mysql: "ON DUPLICATE KEY UPDATE token = VALUES(token), created_at = VALUES(created_at)",
        });
        let sql = format!("INSERT INTO {} (email, token, created_at) VALUES (?, ?, ?) {replace}", self.table);
        self.execute(Statement::new(sql).with(email).with(hashed_token).with(utc(created_at)?)).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        let sql = format!("SELECT token, created_at FROM {} WHERE email = ?", self.table);
        let rows = self.database.fetch(Statement::new(sql).with(email)).await.map_err(repository_error)?;
        let Some(row) = rows.first() else { return Ok(None) };
        let created_at: DateTime<Utc> = row.get("created_at")?;
        Ok(Some(StoredResetToken { token: row.get("token")?, created_at: created_at.into() }))
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        self.execute(Statement::new(format!("DELETE FROM {} WHERE email = ?", self.table)).with(email)).await
    }
}
