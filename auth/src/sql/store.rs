//! The ephemeral store over SQL.

#[cfg(feature = "mysql")]
mod mysql;

use super::database::{Database, IntoDatabase, PerDialect};
use super::identifier::{Identifier, InvalidIdentifier};
use super::schema::{Definition, Migration, Step};
use super::statement::{Statement, milliseconds};
use crate::clock::{Clock, SystemClock};
use crate::error::BoxError;
use crate::store::{EphemeralStore, SharedStore, Slot, Window};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// An [`EphemeralStore`] over a table of a database (specification §22.4). All processes that use the database share it, and
/// a restart keeps attempt counters and used codes.
///
/// The table has the columns `key`, `value`, `count` and `ends_at`; [`migrate`](super::migrate) creates it. The module
/// deletes expired rows together with expired sessions. Clones share the pool.
///
/// An entry expires by the clock of the instance that reads it, so the clocks of several instances must agree: a window or a
/// used code ends as much earlier or later as they differ.
#[derive(Clone)]
pub struct SqlStore {
    database: Database,
    table: Identifier,
    clock: Arc<dyn Clock>,
}

impl SqlStore {
    /// The entries in the table `auth_store` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self {
            database: database.into_database(),
            table: Identifier::from_source("auth_store"),
            clock: Arc::new(SystemClock),
        }
    }

    /// Uses another table than `auth_store`, with the same columns.
    ///
    /// # Errors
    /// If the name does not begin with an ASCII letter or `_`, or has other characters than ASCII letters, digits and
    /// `_`.
    pub fn table(mut self, name: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        self.table = Identifier::new(name)?;
        Ok(self)
    }

    /// The clock by which entries expire; a test uses the clock of its [`AuthConfig`](crate::AuthConfig). Default: the
    /// system's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Now, and the end of a time to live that starts now.
    fn times(&self, ttl: Duration) -> (i64, i64) {
        let now = self.clock.now();
        (milliseconds(now), now.checked_add(ttl).map_or(i64::MAX, milliseconds))
    }

    fn now(&self) -> i64 {
        milliseconds(self.clock.now())
    }

    /// Counts one attempt if the counter is below the limit. Returns the end of its window, or `None` if the counter is
    /// full.
    async fn take(&self, key: &str, limit: u32, now: i64, ends_at: i64) -> Result<Option<i64>, BoxError> {
        let table = &self.table;
        #[cfg(feature = "mysql")]
        if let Some(pool) = self.database.mysql() {
            return Ok(mysql::count(pool, table, key, limit, now, ends_at).await?);
        }
        // A window that has ended starts again. A full one changes nothing.
        let sql = format!(
            "INSERT INTO {table} (key, count, ends_at) VALUES (?, 1, ?) ON CONFLICT (key) DO UPDATE SET \
             value = NULL, \
             count = CASE WHEN {table}.ends_at <= ? OR {table}.count IS NULL \
                     THEN 1 ELSE {table}.count + 1 END, \
             ends_at = CASE WHEN {table}.ends_at <= ? OR {table}.count IS NULL \
                       THEN excluded.ends_at ELSE {table}.ends_at END \
             WHERE {table}.ends_at <= ? OR {table}.count IS NULL OR {table}.count < ? \
             RETURNING ends_at"
        );
        let count = Statement::new(sql).with(key).with(ends_at).with(now).with(now).with(now);
        self.ends_at(count.with(limit)).await
    }

    async fn ends_at(&self, statement: Statement) -> Result<Option<i64>, BoxError> {
        let rows = self.database.fetch(statement).await?;
        Ok(rows.first().map(|row| row.get("ends_at")).transpose()?)
    }
}

pub(super) const TABLE: Definition = Definition { name: "auth_store", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 4,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
-- Data with a short lifetime (specification §21). A row is a value or a counter. The time is in milliseconds since 1970.
CREATE TABLE auth_store (
    key     TEXT PRIMARY KEY NOT NULL,
    value   BLOB,
    count   INTEGER,
    ends_at INTEGER NOT NULL
);
CREATE INDEX auth_store_by_end ON auth_store (ends_at);
",
        postgres: "\
-- Data with a short lifetime (specification §21). A row is a value or a counter. The time is in milliseconds since 1970.
CREATE TABLE auth_store (
    key     text PRIMARY KEY,
    value   bytea,
    count   bigint,
    ends_at bigint NOT NULL
);
CREATE INDEX auth_store_by_end ON auth_store (ends_at);
",
        mysql: "\
-- Data with a short lifetime (specification §21). A row is a value or a counter. The time is in milliseconds since 1970.
CREATE TABLE auth_store (
    `key`   varbinary(255) PRIMARY KEY,
    value   blob,
    count   bigint,
    ends_at bigint NOT NULL,
    INDEX auth_store_by_end (ends_at)
) ENGINE = InnoDB
",
    },
};

#[diagnostic::do_not_recommend]
impl SharedStore for SqlStore {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for SqlStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let sql = format!(
            "SELECT value FROM {} WHERE \"key\" = ? AND ends_at > ? AND value IS NOT NULL",
            self.table
        );
        let rows = self.database.fetch(Statement::new(sql).with(key).with(self.now())).await?;
        Ok(rows.first().map(|row| row.get("value")).transpose()?)
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let replace = self.database.dialect().choose(PerDialect {
            sqlite: "ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = NULL, ends_at = excluded.ends_at",
            postgres: "ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = NULL, ends_at = excluded.ends_at",
            mysql: "ON DUPLICATE KEY UPDATE value = VALUES(value), count = NULL, ends_at = VALUES(ends_at)",
        });
        let sql = format!("INSERT INTO {} (\"key\", value, ends_at) VALUES (?, ?, ?) {replace}", self.table);
        let (_, ends_at) = self.times(ttl);
        self.database.execute(Statement::new(sql).with(key).with(value).with(ends_at)).await?;
        Ok(())
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let (now, ends_at) = self.times(ttl);
        let table = &self.table;
        #[cfg(feature = "mysql")]
        if let (None, Some(pool)) = (expected, self.database.mysql()) {
            return Ok(mysql::claim(pool, table, key, value, now, ends_at).await?);
        }
        let statement = match expected {
            None => Statement::new(format!(
                "INSERT INTO {table} (key, value, ends_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE \
                 SET value = excluded.value, count = NULL, ends_at = excluded.ends_at \
                 WHERE {table}.ends_at <= ?"
            ))
            .with(key)
            .with(value)
            .with(ends_at)
            .with(now),
            Some(expected) => Statement::new(format!(
                "UPDATE {table} SET value = ?, ends_at = ? WHERE \"key\" = ? AND value = ? AND ends_at > ?"
            ))
            .with(value)
            .with(ends_at)
            .with(key)
            .with(expected)
            .with(now),
        };
        Ok(self.database.execute(statement).await? == 1)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let sql = format!("DELETE FROM {} WHERE \"key\" = ?", self.table);
        self.database.execute(Statement::new(sql).with(key)).await?;
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (now, ends_at) = self.times(window);
        if let Some(ends_at) = self.take(key, limit, now, ends_at).await? {
            return Ok(Slot::Taken { window: Window::new(u64::try_from(ends_at)?) });
        }
        let sql = format!("SELECT ends_at FROM {} WHERE \"key\" = ?", self.table);
        let ends_at = self.ends_at(Statement::new(sql).with(key)).await?;
        let rest = ends_at.unwrap_or_default().saturating_sub(now).try_into().unwrap_or_default();
        Ok(Slot::Full { retry_after: Duration::from_millis(rest) })
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        let sql = format!(
            "UPDATE {} SET count = count - 1 WHERE \"key\" = ? AND count > 0 AND ends_at = ? AND ends_at > ?",
            self.table
        );
        // A larger number is not a window of this store.
        let Ok(ends_at) = i64::try_from(window.get()) else { return Ok(()) };
        self.database.execute(Statement::new(sql).with(key).with(ends_at).with(self.now())).await?;
        Ok(())
    }

    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        let expired = Statement::new("ends_at <= ?").with(self.now());
        let delete = self.database.dialect().delete_some(&self.table, "key", expired, at_most);
        Ok(self.database.execute(delete).await?)
    }
}
