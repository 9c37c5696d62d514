//! The session repository over SQL.

use super::database::{Database, IntoDatabase, PerDialect, Row, repository_error};
use super::identifier::{Identifier, InvalidIdentifier};
use super::schema::{Definition, Migration, Step};
use super::statement::{Statement, from_milliseconds, milliseconds};
use crate::repository::{
    LastUse, RepositoryError, SessionKind, SessionOwner, SessionRecord, SessionRepository, SessionState,
    SharedSessions,
};
use async_trait::async_trait;
use std::time::SystemTime;

/// How many sessions a statement deletes at most.
const PORTION: u32 = 1000;

/// A [`SessionRepository`] over a table of a database (specification §22.3). All processes that use the database share the
/// sessions.
///
/// The table has the columns of [`SessionRecord`], with times in milliseconds since 1970; [`migrate`](super::migrate)
/// creates it. Clones share the pool.
#[derive(Clone)]
pub struct SqlSessions {
    database: Database,
    table: Identifier,
}

impl SqlSessions {
    /// The sessions in the table `auth_sessions` of this database: a `SqlitePool`, `PgPool` or `MySqlPool`.
    #[must_use]
    pub fn new(database: impl IntoDatabase) -> Self {
        Self { database: database.into_database(), table: Identifier::from_source("auth_sessions") }
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

    async fn execute(&self, statement: Statement) -> Result<u64, RepositoryError> {
        self.database.execute(statement).await.map_err(repository_error)
    }

    /// Deletes in portions: one statement for all rows could take longer than a statement may.
    async fn delete_everybodys(&self, kinds: &str, except: Option<&str>) -> Result<u64, RepositoryError> {
        let exception = if except.is_some() { " AND id <> ?" } else { "" };
        let mut condition = Statement::new(format!("kind IN ({kinds}){exception}"));
        if let Some(except) = except {
            condition.bind(except);
        }
        let delete = self.database.dialect().delete_some(&self.table, "id", condition, PORTION);
        let mut all = 0;
        loop {
            let deleted = self.execute(delete.clone()).await?;
            all += deleted;
            if deleted < u64::from(PORTION) {
                return Ok(all);
            }
        }
    }

    async fn fetch(&self, statement: Statement) -> Result<Vec<SessionRecord>, RepositoryError> {
        let rows = self.database.fetch(statement).await.map_err(repository_error)?;
        rows.iter().filter_map(|row| record(row).transpose()).collect()
    }

    /// The beginning of a statement that reads sessions.
    fn select(&self) -> Statement {
        let columns = self.database.dialect().choose(COLUMNS);
        Statement::new(format!("SELECT {columns} FROM {} WHERE ", self.table))
    }
}

pub(super) const TABLE: Definition = Definition { name: "auth_sessions", migrations: &[CREATE] };

const CREATE: Migration = Migration {
    version: 3,
    step: Step::Create,
    sql: PerDialect {
        sqlite: "\
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
        postgres: "\
-- One row for each session (specification §3.7). Times are in milliseconds since 1970.
CREATE TABLE auth_sessions (
    id           text PRIMARY KEY,
    user_id      text NOT NULL,
    kind         text NOT NULL,
    state        text NOT NULL,
    created_at   bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at   bigint NOT NULL,
    client       text,
    user_agent   text
);
CREATE INDEX auth_sessions_by_user ON auth_sessions (user_id, kind);
CREATE INDEX auth_sessions_by_end ON auth_sessions (expires_at);
",
        // Binary columns, because every other collation that both MySQL and MariaDB have ignores trailing spaces.
        mysql: "\
-- One row for each session (specification §3.7). Times are in milliseconds since 1970.
CREATE TABLE auth_sessions (
    id           varbinary(64) PRIMARY KEY,
    user_id      varbinary(512) NOT NULL,
    kind         varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state        blob NOT NULL,
    created_at   bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at   bigint NOT NULL,
    client       varchar(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    user_agent   varchar(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    INDEX auth_sessions_by_user (user_id, kind),
    INDEX auth_sessions_by_end (expires_at)
) ENGINE = InnoDB
",
    },
};

/// What is read of a row.
const COLUMNS: PerDialect = PerDialect {
    sqlite: "id, user_id, kind, state, created_at, last_used_at, expires_at, client, user_agent",
    postgres: "id, user_id, kind, state, created_at, last_used_at, expires_at, client, user_agent",
    mysql: "CONVERT(id USING utf8mb4) AS id, CONVERT(user_id USING utf8mb4) AS user_id, kind, \
            CONVERT(state USING utf8mb4) AS state, created_at, last_used_at, expires_at, client, user_agent",
};

#[diagnostic::do_not_recommend]
impl SharedSessions for SqlSessions {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl SessionRepository for SqlSessions {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        let sql = format!(
            "INSERT INTO {} (id, user_id, kind, state, created_at, last_used_at, expires_at, client, user_agent) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self.table
        );
        let insert = Statement::new(sql)
            .with(session.id)
            .with(session.user_id)
            .with(session.kind.as_str())
            .with(session.state.as_str())
            .with(milliseconds(session.created_at))
            .with(milliseconds(session.last_used_at))
            .with(milliseconds(session.expires_at))
            .with(session.client)
            .with(session.user_agent);
        self.execute(insert).await.map(drop)
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        let mut select = self.select();
        select.push("id = ?");
        Ok(self.fetch(select.with(id)).await?.pop())
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let Some(kinds) = list(kinds) else { return Ok(Vec::new()) };
        let mut select = self.select();
        select.push(&format!("user_id = ? AND kind IN ({kinds})"));
        self.fetch(select.with(user_id)).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let sql = format!("UPDATE {} SET state = ?, expires_at = ? WHERE id = ? AND state = ?", self.table);
        let update = Statement::new(sql)
            .with(state.as_str())
            .with(milliseconds(expires_at))
            .with(id)
            .with(expected.as_str());
        Ok(self.execute(update).await? == 1)
    }

    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError> {
        let sql =
            format!("UPDATE {} SET last_used_at = ?, client = ?, user_agent = ? WHERE id = ?", self.table);
        let update = Statement::new(sql)
            .with(milliseconds(seen.last_used_at))
            .with(seen.client.as_deref())
            .with(seen.user_agent.as_deref())
            .with(id);
        self.execute(update).await.map(drop)
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        let delete = Statement::new(format!("DELETE FROM {} WHERE id = ?", self.table)).with(id);
        Ok(self.execute(delete).await? == 1)
    }

    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let Some(kinds) = list(kinds) else { return Ok(0) };
        if whose == SessionOwner::Everybody {
            return self.delete_everybodys(&kinds, except).await;
        }
        let mut delete = Statement::new(format!("DELETE FROM {} WHERE kind IN ({kinds})", self.table));
        if let SessionOwner::User(id) = whose {
            delete.push(" AND user_id = ?");
            delete.bind(id);
        }
        if let Some(except) = except {
            delete.push(" AND id <> ?");
            delete.bind(except);
        }
        self.execute(delete).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let expired = Statement::new("expires_at <= ?").with(milliseconds(now));
        self.execute(self.database.dialect().delete_some(&self.table, "id", expired, at_most)).await
    }
}

/// `'bearer', 'browser'`, or `None` if there are none. The texts are the library's own.
fn list(kinds: &[SessionKind]) -> Option<String> {
    let quoted: Vec<_> = kinds.iter().map(|kind| format!("'{}'", kind.as_str())).collect();
    (!quoted.is_empty()).then(|| quoted.join(", "))
}

/// The session of a row, or `None` if it is of a kind that a later version of the library has added.
fn record(row: &Row) -> Result<Option<SessionRecord>, RepositoryError> {
    let Some(kind) = SessionKind::parse(&row.get::<String>("kind")?) else { return Ok(None) };
    let (id, user_id, state): (String, String, String) =
        (row.get("id")?, row.get("user_id")?, row.get("state")?);
    let [created_at, last_used_at, expires_at] =
        [row.get("created_at")?, row.get("last_used_at")?, row.get("expires_at")?].map(from_milliseconds);
    let mut record = SessionRecord::new(id, user_id, kind, state, created_at, expires_at);
    record.last_used_at = last_used_at;
    record.client = row.get("client")?;
    record.user_agent = row.get("user_agent")?;
    Ok(Some(record))
}
