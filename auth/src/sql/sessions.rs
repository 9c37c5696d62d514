//! The session repository over SQLite.

use super::identifier::{Identifier, InvalidIdentifier};
use super::migrations::Table;
use crate::repository::{
    RepositoryError, Seen, SessionKind, SessionRecord, SessionRepository, SharedSessions, Whose,
};
use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row, SqlitePool};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A [`SessionRepository`] over a table of a SQLite database (specification §22.3). All processes that open the database
/// share the sessions.
///
/// The table has the columns of [`SessionRecord`], with times in milliseconds since 1970; [`migrate`](super::migrate)
/// creates it. Clones share the pool.
#[derive(Clone)]
pub struct SqlSessions {
    pool: SqlitePool,
    table: Identifier,
}

impl SqlSessions {
    /// The sessions in the table `auth_sessions` of this database.
    #[must_use]
    pub const fn new(pool: SqlitePool) -> Self {
        Self { pool, table: Identifier::from_source("auth_sessions") }
    }

    /// Uses another table than `auth_sessions`, with the same columns.
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
    version: 3,
    name: "auth_sessions",
    sql: "\
-- One row for each session (specification §3.7). Times are in milliseconds since 1970.
CREATE TABLE auth_sessions (
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    state        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    client       TEXT,
    user_agent   TEXT
);
CREATE INDEX auth_sessions_by_user ON auth_sessions (user_id, kind);
CREATE INDEX auth_sessions_by_end ON auth_sessions (expires_at);
",
};

const COLUMNS: &str = "id, user_id, kind, state, created_at, last_used_at, expires_at, client, user_agent";

impl SharedSessions for SqlSessions {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl SessionRepository for SqlSessions {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        let sql = format!("INSERT INTO {} ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self.table);
        sqlx::query(AssertSqlSafe(sql))
            .bind(session.id)
            .bind(session.user_id)
            .bind(session.kind.as_str())
            .bind(session.state)
            .bind(milliseconds(session.created_at))
            .bind(milliseconds(session.last_used_at))
            .bind(milliseconds(session.expires_at))
            .bind(session.client)
            .bind(session.user_agent)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        let sql = format!("SELECT {COLUMNS} FROM {} WHERE id = ?", self.table);
        let row = sqlx::query(AssertSqlSafe(sql)).bind(id).fetch_optional(&self.pool).await?;
        row.as_ref().map(record).transpose().map(Option::flatten)
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let sql =
            format!("SELECT {COLUMNS} FROM {} WHERE user_id = ? AND kind IN ({})", self.table, list(kinds));
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(user_id).fetch_all(&self.pool).await?;
        rows.iter().filter_map(|row| record(row).transpose()).collect()
    }

    async fn swap(
        &self,
        id: &str,
        expected: &str,
        state: &str,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let sql = format!("UPDATE {} SET state = ?, expires_at = ? WHERE id = ? AND state = ?", self.table);
        let query = sqlx::query(AssertSqlSafe(sql)).bind(state).bind(milliseconds(expires_at));
        let swapped = query.bind(id).bind(expected).execute(&self.pool).await?;
        Ok(swapped.rows_affected() == 1)
    }

    async fn touch(&self, id: &str, seen: &Seen) -> Result<(), RepositoryError> {
        let sql =
            format!("UPDATE {} SET last_used_at = ?, client = ?, user_agent = ? WHERE id = ?", self.table);
        let query = sqlx::query(AssertSqlSafe(sql)).bind(milliseconds(seen.last_used_at));
        query.bind(&seen.client).bind(&seen.user_agent).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        let sql = format!("DELETE FROM {} WHERE id = ?", self.table);
        Ok(sqlx::query(AssertSqlSafe(sql)).bind(id).execute(&self.pool).await?.rows_affected() == 1)
    }

    async fn delete_all(
        &self,
        whose: Whose<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let sql = format!("DELETE FROM {} WHERE kind IN ({})", self.table, list(kinds));
        let mut query = sqlx::QueryBuilder::new(sql);
        if let Whose::User(id) = whose {
            query.push(" AND user_id = ").push_bind(id);
        }
        if let Some(except) = except {
            query.push(" AND id <> ").push_bind(except);
        }
        Ok(query.build().execute(&self.pool).await?.rows_affected())
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let table = &self.table;
        let sql =
            format!("DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE expires_at <= ? LIMIT ?)");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(milliseconds(now)).bind(at_most);
        Ok(query.execute(&self.pool).await?.rows_affected())
    }
}

/// `'bearer', 'browser'`. The texts are the library's own.
fn list(kinds: &[SessionKind]) -> String {
    let quoted: Vec<_> = kinds.iter().map(|kind| format!("'{}'", kind.as_str())).collect();
    quoted.join(", ")
}

/// The session of a row, or `None` if it is of a kind that a later version of the library has added.
fn record(row: &SqliteRow) -> Result<Option<SessionRecord>, RepositoryError> {
    let Some(kind) = SessionKind::parse(row.try_get("kind")?) else { return Ok(None) };
    let (id, user_id, state): (String, String, String) =
        (row.try_get("id")?, row.try_get("user_id")?, row.try_get("state")?);
    let (created_at, expires_at) = (row.try_get("created_at")?, row.try_get("expires_at")?);
    let mut record = SessionRecord::new(id, user_id, kind, state, time(created_at), time(expires_at));
    record.last_used_at = time(row.try_get("last_used_at")?);
    record.client = row.try_get("client")?;
    record.user_agent = row.try_get("user_agent")?;
    Ok(Some(record))
}

fn milliseconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis().try_into().unwrap_or(i64::MAX)
}

fn time(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds.try_into().unwrap_or_default())
}
