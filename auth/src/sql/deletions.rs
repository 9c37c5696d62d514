//! The repository of deletions over SQL.

use super::database::{IntoDatabase, PerDialect, Row, is_taken};
use super::identifier::InvalidIdentifier;
use super::owned_rows::OwnedRows;
use super::schema::{Definition, Migration, Step};
use super::statement::{Statement, from_milliseconds, milliseconds};
use crate::repository::{DeletionRecord, DeletionRepository, RepositoryError};
use async_trait::async_trait;
use std::time::SystemTime;

/// A [`DeletionRepository`] over a table of a database (specification §22.10). All processes that use the database share the
/// deletions.
///
/// The table has the columns of [`DeletionRecord`], with times in milliseconds since 1970; [`migrate`](super::migrate) creates it.
/// Clones share the pool.
#[derive(Clone)]
pub struct SqlDeletions {
    rows: OwnedRows,
}

impl SqlDeletions {
    /// The deletions in the table `auth_deletions` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self { rows: OwnedRows::new(database, "auth_deletions", COLUMNS) }
    }

    /// Uses another table than `auth_deletions`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        Ok(Self { rows: self.rows.of(name)? })
    }

    /// Stores a row unless the account has one. Returns whether the row is stored.
    async fn insert(&self, realm: &str, user_id: &str, due_at: SystemTime) -> Result<bool, RepositoryError> {
        let insertion = self.rows.insertion(&["realm", "user_id", "due_at"], "realm, user_id");
        let insertion = insertion.with(realm).with(user_id).with(milliseconds(due_at));
        self.rows.insert(insertion, is_taken).await
    }

    /// Leases a row if it is still there with its `due_at`, and not leased at `now`. Returns whether it is leased.
    async fn lease(
        &self,
        row: &DeletionRecord,
        now: SystemTime,
        until: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let update = self.rows.update(&format!("leased_until = ? WHERE {THIS_ROW} AND {NOT_LEASED}"));
        let update = of_row(update.with(milliseconds(until)), &row.realm, &row.user_id, row.due_at);
        self.rows.write(update.with(milliseconds(now))).await
    }
}

pub(super) const TABLE: Definition = Definition { name: "auth_deletions", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 8,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- One row for each account that is going to be deleted (specification §3.12). Times are in milliseconds since 1970.
CREATE TABLE auth_deletions (
    realm        TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    due_at       INTEGER NOT NULL,
    leased_until INTEGER,
    PRIMARY KEY (realm, user_id)
);
CREATE INDEX auth_deletions_by_due_time ON auth_deletions (realm, due_at);
",
        postgres: "\
-- One row for each account that is going to be deleted (specification §3.12). Times are in milliseconds since 1970.
CREATE TABLE auth_deletions (
    realm        text NOT NULL,
    user_id      text NOT NULL,
    due_at       bigint NOT NULL,
    leased_until bigint,
    PRIMARY KEY (realm, user_id)
);
CREATE INDEX auth_deletions_by_due_time ON auth_deletions (realm, due_at);
",
        // `realm` and `user_id` are binary for the same reason as in `auth_sessions`.
        mysql: "\
-- One row for each account that is going to be deleted (specification §3.12). Times are in milliseconds since 1970.
CREATE TABLE auth_deletions (
    realm        varbinary(200) NOT NULL,
    user_id      varbinary(512) NOT NULL,
    due_at       bigint NOT NULL,
    leased_until bigint,
    PRIMARY KEY (realm, user_id),
    INDEX auth_deletions_by_due_time (realm, due_at)
) ENGINE = InnoDB
",
    },
};

/// What is read of a row.
const COLUMNS: PerDialect = PerDialect {
    sqlite: "realm, user_id, due_at, leased_until",
    postgres: "realm, user_id, due_at, leased_until",
    mysql: "CONVERT(realm USING utf8mb4) AS realm, CONVERT(user_id USING utf8mb4) AS user_id, due_at, leased_until",
};

/// The row of an account, with its `due_at`.
const THIS_ROW: &str = "realm = ? AND user_id = ? AND due_at = ?";

/// That a row is not leased at a time.
const NOT_LEASED: &str = "(leased_until IS NULL OR leased_until <= ?)";

/// Adds the values of [`THIS_ROW`].
fn of_row(statement: Statement, realm: &str, user_id: &str, due_at: SystemTime) -> Statement {
    statement.with(realm).with(user_id).with(milliseconds(due_at))
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl DeletionRepository for SqlDeletions {
    async fn schedule(
        &self,
        realm: &str,
        user_id: &str,
        due_at: SystemTime,
    ) -> Result<Option<DeletionRecord>, RepositoryError> {
        loop {
            if self.insert(realm, user_id, due_at).await? {
                return Ok(None);
            }
            // `None` if the row has been deleted since.
            if let Some(row) = self.find(realm, user_id).await? {
                return Ok(Some(row));
            }
        }
    }

    async fn find(&self, realm: &str, user_id: &str) -> Result<Option<DeletionRecord>, RepositoryError> {
        let select = self.rows.select("realm = ? AND user_id = ?").with(realm).with(user_id);
        Ok(self.rows.fetch(select, record).await?.pop())
    }

    async fn cancel(
        &self,
        realm: &str,
        user_id: &str,
        due_at: SystemTime,
        now: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let delete = self.rows.deletion(&format!("{THIS_ROW} AND {NOT_LEASED}"));
        self.rows.write(of_row(delete, realm, user_id, due_at).with(milliseconds(now))).await
    }

    async fn lease_due(
        &self,
        realm: &str,
        now: SystemTime,
        until: SystemTime,
        at_most: usize,
    ) -> Result<Vec<DeletionRecord>, RepositoryError> {
        let due = format!("realm = ? AND due_at <= ? AND {NOT_LEASED} ORDER BY due_at LIMIT ?");
        let (time, at_most) = (milliseconds(now), i64::try_from(at_most).unwrap_or(i64::MAX));
        let select = self.rows.select(&due).with(realm).with(time).with(time).with(at_most);
        let mut leased = Vec::new();
        for mut row in self.rows.fetch(select, record).await? {
            if self.lease(&row, now, until).await? {
                row.leased_until = Some(until);
                leased.push(row);
            }
        }
        Ok(leased)
    }

    async fn finish(&self, realm: &str, user_id: &str, due_at: SystemTime) -> Result<(), RepositoryError> {
        let delete = of_row(self.rows.deletion(THIS_ROW), realm, user_id, due_at);
        self.rows.write(delete).await.map(drop)
    }
}

/// The deletion of a row.
fn record(row: &Row) -> Result<DeletionRecord, RepositoryError> {
    let [realm, user_id]: [String; 2] = [row.get("realm")?, row.get("user_id")?];
    let mut record = DeletionRecord::new(realm, user_id, from_milliseconds(row.get("due_at")?));
    record.leased_until = row.get::<Option<i64>>("leased_until")?.map(from_milliseconds);
    Ok(record)
}
