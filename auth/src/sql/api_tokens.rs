//! The repository of API tokens over SQL.

use super::database::{IntoDatabase, PerDialect, Row, is_taken};
use super::identifier::InvalidIdentifier;
use super::owned_rows::OwnedRows;
use super::schema::{Definition, Migration, Step};
use super::statement::{from_milliseconds, milliseconds};
use crate::repository::{ApiTokenRecord, ApiTokenRepository, RepositoryError};
use async_trait::async_trait;
use std::time::SystemTime;

/// An [`ApiTokenRepository`] over a table of a database (specification §22.11). All processes that use the database share the tokens.
///
/// The table has the columns of [`ApiTokenRecord`]: the scopes as one text with spaces between them, and times
/// in milliseconds since 1970; [`migrate`](super::migrate) creates it. Clones share the pool.
#[derive(Clone)]
pub struct SqlApiTokens {
    rows: OwnedRows,
}

impl SqlApiTokens {
    /// The API tokens in the table `auth_api_tokens` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self { rows: OwnedRows::new(database, "auth_api_tokens", COLUMNS) }
    }

    /// Uses another table than `auth_api_tokens`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        Ok(Self { rows: self.rows.of(name)? })
    }
}

pub(super) const TABLE: Definition = Definition { name: "auth_api_tokens", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 9,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- One row for each API token (specification §3.13). Times are in milliseconds since 1970.
CREATE TABLE auth_api_tokens (
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL,
    name         TEXT NOT NULL,
    scopes       TEXT NOT NULL,
    secret_hash  BLOB NOT NULL,
    last_four    TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    last_used_at INTEGER
);
CREATE INDEX auth_api_tokens_by_user ON auth_api_tokens (user_id);
CREATE INDEX auth_api_tokens_by_expiry ON auth_api_tokens (expires_at);
",
        postgres: "\
-- One row for each API token (specification §3.13). Times are in milliseconds since 1970.
CREATE TABLE auth_api_tokens (
    id           text PRIMARY KEY,
    user_id      text NOT NULL,
    name         text NOT NULL,
    scopes       text NOT NULL,
    secret_hash  bytea NOT NULL,
    last_four    text NOT NULL,
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL,
    last_used_at bigint
);
CREATE INDEX auth_api_tokens_by_user ON auth_api_tokens (user_id);
CREATE INDEX auth_api_tokens_by_expiry ON auth_api_tokens (expires_at);
",
        // What is compared is binary for the same reason as in `auth_sessions`.
        mysql: "\
-- One row for each API token (specification §3.13). Times are in milliseconds since 1970.
CREATE TABLE auth_api_tokens (
    id           varbinary(64) PRIMARY KEY,
    user_id      varbinary(512) NOT NULL,
    name         varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    scopes       varchar(4160) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    secret_hash  binary(32) NOT NULL,
    last_four    char(4) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL,
    last_used_at bigint,
    INDEX auth_api_tokens_by_user (user_id),
    INDEX auth_api_tokens_by_expiry (expires_at)
) ENGINE = InnoDB
",
    },
};

/// What is read of a row.
const COLUMNS: PerDialect = PerDialect {
    sqlite: "id, user_id, name, scopes, secret_hash, last_four, created_at, expires_at, last_used_at",
    postgres: "id, user_id, name, scopes, secret_hash, last_four, created_at, expires_at, last_used_at",
    mysql: "CONVERT(id USING utf8mb4) AS id, CONVERT(user_id USING utf8mb4) AS user_id, name, scopes, secret_hash, last_four, \
            created_at, expires_at, last_used_at",
};

#[async_trait]
#[diagnostic::do_not_recommend]
impl ApiTokenRepository for SqlApiTokens {
    async fn insert(&self, token: ApiTokenRecord) -> Result<bool, RepositoryError> {
        let columns = [
            "id",
            "user_id",
            "name",
            "scopes",
            "secret_hash",
            "last_four",
            "created_at",
            "expires_at",
            "last_used_at",
        ];
        let insertion = self
            .rows
            .insertion(&columns, "id")
            .with(token.id)
            .with(token.user_id)
            .with(token.name)
            .with(token.scopes.join(" "))
            .with(token.secret_hash.as_slice())
            .with(token.last_four)
            .with(milliseconds(token.created_at))
            .with(milliseconds(token.expires_at))
            .with(token.last_used_at.map(milliseconds));
        self.rows.insert(insertion, is_taken).await
    }

    async fn find_by_id(&self, id: &str) -> Result<Option<ApiTokenRecord>, RepositoryError> {
        Ok(self.rows.fetch(self.rows.select("id = ?").with(id), record).await?.pop())
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<ApiTokenRecord>, RepositoryError> {
        self.rows.fetch(self.rows.select("user_id = ?").with(user_id), record).await
    }

    async fn record_use(
        &self,
        id: &str,
        before: SystemTime,
        at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let update =
            self.rows.update("last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= ?)");
        self.rows.write(update.with(milliseconds(at)).with(id).with(milliseconds(before))).await
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        self.rows.delete(user_id, id).await
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        self.rows.delete_all(user_id).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        self.rows.delete_expired(milliseconds(now), at_most).await
    }
}

/// The token of a row.
fn record(row: &Row) -> Result<ApiTokenRecord, RepositoryError> {
    let (id, user_id): (String, String) = (row.get("id")?, row.get("user_id")?);
    let [created_at, expires_at] = [row.get("created_at")?, row.get("expires_at")?].map(from_milliseconds);
    let secret_hash = row.get::<Vec<u8>>("secret_hash")?.as_slice().try_into()?;
    let mut record = ApiTokenRecord::new(id, user_id, secret_hash, created_at, expires_at);
    record.name = row.get("name")?;
    record.scopes = row.get::<String>("scopes")?.split_ascii_whitespace().map(str::to_owned).collect();
    record.last_four = row.get("last_four")?;
    record.last_used_at = row.get::<Option<i64>>("last_used_at")?.map(from_milliseconds);
    Ok(record)
}
