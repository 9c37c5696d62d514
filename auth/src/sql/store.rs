//! The ephemeral store over SQLite.

use super::identifier::{Identifier, InvalidIdentifier};
use super::migrations::Table;
use crate::clock::{Clock, SystemClock};
use crate::error::BoxError;
use crate::store::{EphemeralStore, SharedStore, Slot, Window};
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, SqlitePool};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An [`EphemeralStore`] over a table of a SQLite database (specification §22.4). All processes that open the database share
/// it, and a restart keeps attempt counters and used codes.
///
/// The table has the columns `key`, `value`, `count` and `ends_at`; [`migrate`](super::migrate) creates it. Each operation is
/// one statement. The module deletes expired rows together with expired sessions. Clones share the pool.
#[derive(Clone)]
pub struct SqlStore {
    pool: SqlitePool,
    table: Identifier,
    clock: Arc<dyn Clock>,
}

impl SqlStore {
    /// The entries in the table `auth_store` of this database.
    #[must_use]
    pub fn new(pool: SqlitePool) -> Self {
        Self { pool, table: Identifier::from_source("auth_store"), clock: Arc::new(SystemClock) }
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
}

pub(super) const TABLE: Table = Table {
    version: 4,
    name: "auth_store",
    sql: "\
-- Data with a short lifetime (specification §21). A row is a value or a counter. The time is in milliseconds since 1970.
CREATE TABLE auth_store (
    key     TEXT PRIMARY KEY NOT NULL,
    value   BLOB,
    count   INTEGER,
    ends_at INTEGER NOT NULL
);
CREATE INDEX auth_store_by_end ON auth_store (ends_at);
",
};

impl SharedStore for SqlStore {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for SqlStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let sql =
            format!("SELECT value FROM {} WHERE key = ? AND ends_at > ? AND value IS NOT NULL", self.table);
        let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(key).bind(self.now());
        Ok(query.fetch_optional(&self.pool).await?)
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let sql = format!(
            "INSERT INTO {} (key, value, ends_at) VALUES (?, ?, ?) \
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, count = NULL, ends_at = excluded.ends_at",
            self.table
        );
        let (_, ends_at) = self.times(ttl);
        sqlx::query(AssertSqlSafe(sql)).bind(key).bind(value).bind(ends_at).execute(&self.pool).await?;
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
        let swapped = match expected {
            None => {
                let sql = format!(
                    "INSERT INTO {table} (key, value, ends_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE \
                     SET value = excluded.value, count = NULL, ends_at = excluded.ends_at \
                     WHERE {table}.ends_at <= ?"
                );
                let query = sqlx::query(AssertSqlSafe(sql)).bind(key).bind(value).bind(ends_at).bind(now);
                query.execute(&self.pool).await?
            }
            Some(expected) => {
                let sql = format!(
                    "UPDATE {table} SET value = ?, ends_at = ? WHERE key = ? AND value = ? AND ends_at > ?"
                );
                let query = sqlx::query(AssertSqlSafe(sql)).bind(value).bind(ends_at).bind(key);
                query.bind(expected).bind(now).execute(&self.pool).await?
            }
        };
        Ok(swapped.rows_affected() == 1)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let sql = format!("DELETE FROM {} WHERE key = ?", self.table);
        sqlx::query(AssertSqlSafe(sql)).bind(key).execute(&self.pool).await?;
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (now, ends_at) = self.times(window);
        let table = &self.table;
        // A window that has ended starts again. A full one changes nothing.
        let sql = format!(
            "INSERT INTO {table} (key, count, ends_at) VALUES (?1, 1, ?2) ON CONFLICT (key) DO UPDATE SET \
             value = NULL, \
             count = CASE WHEN {table}.ends_at <= ?3 OR {table}.count IS NULL THEN 1 ELSE {table}.count + 1 END, \
             ends_at = CASE WHEN {table}.ends_at <= ?3 OR {table}.count IS NULL THEN ?2 ELSE {table}.ends_at END \
             WHERE {table}.ends_at <= ?3 OR {table}.count IS NULL OR {table}.count < ?4 RETURNING ends_at"
        );
        let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(key).bind(ends_at).bind(now).bind(limit);
        // All rows, although there is at most one: reading to the end also reports errors of the commit.
        let windows: Vec<i64> = query.fetch_all(&self.pool).await?;
        if let Some(ends_at) = windows.first() {
            return Ok(Slot::Taken { window: Window::new(u64::try_from(*ends_at)?) });
        }
        let sql = format!("SELECT ends_at FROM {table} WHERE key = ?");
        let ends_at: Option<i64> =
            sqlx::query_scalar(AssertSqlSafe(sql)).bind(key).fetch_optional(&self.pool).await?;
        let rest = ends_at.unwrap_or_default().saturating_sub(now).try_into().unwrap_or_default();
        Ok(Slot::Full { retry_after: Duration::from_millis(rest) })
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        let sql = format!(
            "UPDATE {} SET count = count - 1 WHERE key = ? AND count > 0 AND ends_at = ? AND ends_at > ?",
            self.table
        );
        // A larger number is not a window of this store.
        let Ok(ends_at) = i64::try_from(window.get()) else { return Ok(()) };
        sqlx::query(AssertSqlSafe(sql)).bind(key).bind(ends_at).bind(self.now()).execute(&self.pool).await?;
        Ok(())
    }

    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        let table = &self.table;
        let sql =
            format!("DELETE FROM {table} WHERE key IN (SELECT key FROM {table} WHERE ends_at <= ? LIMIT ?)");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(self.now()).bind(at_most);
        Ok(query.execute(&self.pool).await?.rows_affected())
    }
}

fn milliseconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis().try_into().unwrap_or(i64::MAX)
}
