//! The repository of identities over SQL.

use super::database::{Database, IntoDatabase, PerDialect, Row, is_taken_key, repository_error};
use super::identifier::{Identifier, InvalidIdentifier};
use super::schema::{Definition, Migration, Step};
use super::statement::{Statement, from_milliseconds, milliseconds};
use crate::repository::{IdentityRecord, IdentityRepository, IdentityUse, RepositoryError};
use async_trait::async_trait;

/// An [`IdentityRepository`] over a table of a database (specification §22.9). All processes that use the database share the
/// identities.
///
/// The table has the columns of [`IdentityRecord`], with times in milliseconds since 1970; [`migrate`](super::migrate) creates it.
/// Clones share the pool.
#[derive(Clone)]
pub struct SqlIdentities {
    database: Database,
    table: Identifier,
}

impl SqlIdentities {
    /// The identities in the table `auth_identities` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self { database: database.into_database(), table: Identifier::from_source("auth_identities") }
    }

    /// Uses another table than `auth_identities`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(mut self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        self.table = Identifier::new(name)?;
        Ok(self)
    }

    async fn execute(&self, statement: Statement) -> Result<u64, RepositoryError> {
        self.database.execute(statement).await.map_err(repository_error)
    }

    async fn fetch(&self, statement: Statement) -> Result<Vec<IdentityRecord>, RepositoryError> {
        let rows = self.database.fetch(statement).await.map_err(repository_error)?;
        rows.iter().map(record).collect()
    }

    /// A statement that reads the identities for which this holds.
    fn select(&self, condition: &str) -> Statement {
        let columns = self.database.dialect().choose(COLUMNS);
        Statement::new(format!("SELECT {columns} FROM {} WHERE {condition}", self.table))
    }
}

pub(super) const TABLE: Definition = Definition { name: "auth_identities", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 7,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- One row for each identity (specification §3.10). Times are in milliseconds since 1970.
CREATE TABLE auth_identities (
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL,
    provider     TEXT NOT NULL,
    issuer       TEXT NOT NULL,
    subject      TEXT NOT NULL,
    email        TEXT,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER
);
CREATE UNIQUE INDEX auth_identities_by_subject ON auth_identities (issuer, subject);
CREATE INDEX auth_identities_by_user ON auth_identities (user_id);
",
        postgres: "\
-- One row for each identity (specification §3.10). Times are in milliseconds since 1970.
CREATE TABLE auth_identities (
    id           text PRIMARY KEY,
    user_id      text NOT NULL,
    provider     text NOT NULL,
    issuer       text NOT NULL,
    subject      text NOT NULL,
    email        text,
    created_at   bigint NOT NULL,
    last_used_at bigint
);
CREATE UNIQUE INDEX auth_identities_by_subject ON auth_identities (issuer, subject);
CREATE INDEX auth_identities_by_user ON auth_identities (user_id);
",
        // What is compared is binary for the same reason as in `auth_sessions`.
        mysql: "\
-- One row for each identity (specification §3.10). Times are in milliseconds since 1970.
CREATE TABLE auth_identities (
    id           varbinary(64) PRIMARY KEY,
    user_id      varbinary(512) NOT NULL,
    provider     varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    issuer       varbinary(255) NOT NULL,
    subject      varbinary(512) NOT NULL,
    email        varchar(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    created_at   bigint NOT NULL,
    last_used_at bigint,
    UNIQUE INDEX auth_identities_by_subject (issuer, subject),
    INDEX auth_identities_by_user (user_id)
) ENGINE = InnoDB
",
    },
};

/// What is read of a row.
const COLUMNS: PerDialect = PerDialect {
    sqlite: "id, user_id, provider, issuer, subject, email, created_at, last_used_at",
    postgres: "id, user_id, provider, issuer, subject, email, created_at, last_used_at",
    mysql: "CONVERT(id USING utf8mb4) AS id, CONVERT(user_id USING utf8mb4) AS user_id, provider, \
            CONVERT(issuer USING utf8mb4) AS issuer, CONVERT(subject USING utf8mb4) AS subject, email, created_at, last_used_at",
};

#[async_trait]
#[diagnostic::do_not_recommend]
impl IdentityRepository for SqlIdentities {
    async fn insert(&self, identity: IdentityRecord) -> Result<bool, RepositoryError> {
        let dialect = self.database.dialect();
        let taken = dialect.choose(PerDialect {
            sqlite: "ON CONFLICT (issuer, subject) DO NOTHING",
            postgres: "ON CONFLICT (issuer, subject) DO NOTHING",
            // As in `SqlPasskeys`: `IGNORE` would also cut off what is too long.
            mysql: "",
        });
        let sql = format!(
            "INSERT INTO {} (id, user_id, provider, issuer, subject, email, created_at, last_used_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?) {taken}",
            self.table
        );
        let insert = Statement::new(sql)
            .with(identity.id)
            .with(identity.user_id)
            .with(identity.provider)
            .with(identity.issuer)
            .with(identity.subject)
            .with(identity.email)
            .with(milliseconds(identity.created_at))
            .with(identity.last_used_at.map(milliseconds));
        match self.database.execute(insert).await {
            Ok(inserted) => Ok(inserted == 1),
            Err(error) if dialect.is_mysql() && is_taken_key(&error) => Ok(false),
            Err(error) => Err(repository_error(error)),
        }
    }

    async fn find_by_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<IdentityRecord>, RepositoryError> {
        let select = self.select("issuer = ? AND subject = ?").with(issuer).with(subject);
        Ok(self.fetch(select).await?.pop())
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<IdentityRecord>, RepositoryError> {
        self.fetch(self.select("user_id = ?").with(user_id)).await
    }

    async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, RepositoryError> {
        let sql = format!("UPDATE {} SET email = ?, last_used_at = ? WHERE id = ?", self.table);
        let update =
            Statement::new(sql).with(seen.email.as_deref()).with(milliseconds(seen.last_used_at)).with(id);
        Ok(self.execute(update).await? == 1)
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        let sql = format!("DELETE FROM {} WHERE id = ? AND user_id = ?", self.table);
        Ok(self.execute(Statement::new(sql).with(id).with(user_id)).await? == 1)
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        let sql = format!("DELETE FROM {} WHERE user_id = ?", self.table);
        self.execute(Statement::new(sql).with(user_id)).await
    }
}

/// The identity of a row.
fn record(row: &Row) -> Result<IdentityRecord, RepositoryError> {
    let [id, user_id, issuer, subject]: [String; 4] =
        [row.get("id")?, row.get("user_id")?, row.get("issuer")?, row.get("subject")?];
    let created_at = from_milliseconds(row.get("created_at")?);
    let mut record = IdentityRecord::new(id, user_id, issuer, subject, created_at);
    record.provider = row.get("provider")?;
    record.email = row.get("email")?;
    record.last_used_at = row.get::<Option<i64>>("last_used_at")?.map(from_milliseconds);
    Ok(record)
}
