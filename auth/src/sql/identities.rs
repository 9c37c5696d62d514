//! The repository of identities over SQL.

use super::database::{IntoDatabase, PerDialect, Row, is_taken_key};
use super::identifier::InvalidIdentifier;
use super::owned_rows::OwnedRows;
use super::schema::{Definition, Migration, Step};
use super::statement::{from_milliseconds, milliseconds};
use crate::repository::{IdentityRecord, IdentityRepository, IdentityUse, RepositoryError};
use async_trait::async_trait;

/// An [`IdentityRepository`] over a table of a database (specification §22.9). All processes that use the database share the
/// identities.
///
/// The table has the columns of [`IdentityRecord`], with times in milliseconds since 1970; [`migrate`](super::migrate) creates it.
/// Clones share the pool.
#[derive(Clone)]
pub struct SqlIdentities {
    rows: OwnedRows,
}

impl SqlIdentities {
    /// The identities in the table `auth_identities` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self { rows: OwnedRows::new(database, "auth_identities", COLUMNS) }
    }

    /// Uses another table than `auth_identities`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        Ok(Self { rows: self.rows.of(name)? })
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
        let insertion = self
            .rows
            .insertion(
                &["id", "user_id", "provider", "issuer", "subject", "email", "created_at", "last_used_at"],
                "issuer, subject",
            )
            .with(identity.id)
            .with(identity.user_id)
            .with(identity.provider)
            .with(identity.issuer)
            .with(identity.subject)
            .with(identity.email)
            .with(milliseconds(identity.created_at))
            .with(identity.last_used_at.map(milliseconds));
        self.rows.insert(insertion, is_taken_key).await
    }

    async fn find_by_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<IdentityRecord>, RepositoryError> {
        let select = self.rows.select("issuer = ? AND subject = ?").with(issuer).with(subject);
        Ok(self.rows.fetch(select, record).await?.pop())
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<IdentityRecord>, RepositoryError> {
        self.rows.fetch(self.rows.select("user_id = ?").with(user_id), record).await
    }

    async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, RepositoryError> {
        let update = self.rows.update("email = ?, last_used_at = ? WHERE id = ?");
        let (email, at) = (seen.email.as_deref(), milliseconds(seen.last_used_at));
        self.rows.write(update.with(email).with(at).with(id)).await
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        self.rows.delete(user_id, id).await
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        self.rows.delete_all(user_id).await
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
