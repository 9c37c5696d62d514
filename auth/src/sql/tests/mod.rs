//! The adapters on real SQLite databases: in memory, or in a file for tests with concurrent connections.

mod migrations;
mod password_resets;
mod races;
mod sessions;
mod store;
mod users;
mod violations;

use crate::AuthUser;
use crate::repository::RepositoryError;
use crate::user::NewUser;
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A host that uses the library's table.
#[derive(Clone, Debug, PartialEq, AuthUser, sqlx::FromRow)]
pub(super) struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}

/// A host with its own table: an integer id, other names of fields and columns, additional columns.
#[derive(Clone, AuthUser, sqlx::FromRow)]
pub(super) struct Member {
    #[auth(id)]
    number: i64,
    #[auth(name)]
    display_name: String,
    #[sqlx(rename = "mail")]
    email: String,
    #[auth(password)]
    password_hash: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
    plan: String,
    seats: i64,
    quota: Option<f64>,
    newsletter: bool,
    tags: Option<String>,
}

/// The table of [`Member`].
const MEMBERS: &str = "CREATE TABLE \"order\" (
    number INTEGER PRIMARY KEY, display_name TEXT NOT NULL, mail TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL,
    email_verified_at TEXT, two_factor_secret TEXT, two_factor_recovery_codes TEXT, two_factor_confirmed_at TEXT,
    password_confirmed_at TEXT, plan TEXT NOT NULL DEFAULT 'free', seats INTEGER NOT NULL DEFAULT 1, quota REAL,
    newsletter BOOLEAN NOT NULL DEFAULT FALSE, tags TEXT)";

/// An empty database in memory. The pool has one connection, because each connection would have its own database.
pub(super) async fn memory() -> SqlitePool {
    SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap()
}

/// Runs SQL of a test.
pub(super) async fn run(pool: &SqlitePool, sql: &'static str) {
    sqlx::raw_sql(sql).execute(pool).await.unwrap();
}

/// The result of a query that counts records.
pub(super) async fn count(pool: &SqlitePool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.unwrap()
}

pub(super) fn new_user(email: &str) -> NewUser {
    NewUser::new("Ada", email, "hash")
}

/// The text of a [`RepositoryError::Other`].
pub(super) fn other<T>(result: Result<T, RepositoryError>) -> String {
    match result {
        Err(RepositoryError::Other(cause)) => cause.to_string(),
        Err(unexpected) => panic!("{unexpected:?}"),
        Ok(_) => panic!("no error"),
    }
}

/// A database in a file, which is deleted on drop.
pub(super) struct File(PathBuf);

impl File {
    pub(super) fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("auth-sql-{}-{number}.db", std::process::id())))
    }

    /// A new pool, like the one of another process.
    pub(super) async fn pool(&self, connections: u32) -> SqlitePool {
        let options = SqliteConnectOptions::new().filename(&self.0).create_if_missing(true);
        SqlitePoolOptions::new().max_connections(connections).connect_with(options).await.unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let mut path = self.0.clone().into_os_string();
            path.push(suffix);
            // Most of these files do not exist.
            let _absent = std::fs::remove_file(path);
        }
    }
}
