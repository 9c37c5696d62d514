//! Databases for tests: a SQLite file, or an own database on a server, which is deleted after the test.
//!
//! The library's own tests and the HTTP tests compile this file.

use super::servers::{MYSQL, POSTGRES};
use sqlx::mysql::MySqlPoolOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{
    AssertSqlSafe, Connection, MySqlConnection, MySqlPool, PgConnection, PgPool, SqliteConnection, SqlitePool,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    MySql,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::MySql];

    /// The address of the server, without the name of a database. `None` if the test must be skipped.
    fn server(self) -> Option<String> {
        let url = match self {
            Self::Sqlite => Some("sqlite:".to_owned()),
            Self::Postgres => POSTGRES.find(),
            Self::MySql => MYSQL.find(),
        };
        url.map(|url| url.trim_end_matches('/').to_owned())
    }
}

/// An empty database of a test. It is deleted on drop.
pub(crate) struct TestDatabase {
    kind: Kind,
    server: String,
    name: String,
}

impl TestDatabase {
    /// A new database of this kind, or `None` if the test must be skipped because there is no server.
    pub(crate) async fn create(kind: Kind) -> Option<Self> {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let server = kind.server()?;
        let database = Self { kind, server, name: format!("auth_test_{}_{number}", std::process::id()) };
        let name = &database.name;
        if let Some(administration) = database.administration() {
            // One with this name can be left from a process that was killed and had the same number.
            run(kind, &administration, &format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
            run(kind, &administration, &format!("CREATE DATABASE {name}")).await.unwrap();
        }
        Some(database)
    }

    /// Its address, for sqlx.
    pub(crate) fn url(&self) -> String {
        match self.kind {
            Kind::Sqlite => format!("sqlite:{}?mode=rwc", self.file().display()),
            Kind::Postgres | Kind::MySql => format!("{}/{}", self.server, self.name),
        }
    }

    /// The address of the server's own database, in which others are created and dropped. SQLite has none.
    fn administration(&self) -> Option<String> {
        match self.kind {
            Kind::Sqlite => None,
            Kind::Postgres => Some(format!("{}/postgres", self.server)),
            Kind::MySql => Some(format!("{}/mysql", self.server)),
        }
    }

    fn file(&self) -> PathBuf {
        std::env::temp_dir().join(format!("{}.db", self.name))
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Some(administration) = self.administration() else {
            for suffix in ["", "-journal", "-wal", "-shm"] {
                let mut path = self.file().into_os_string();
                path.push(suffix);
                // Most of these files do not exist.
                let _absent = std::fs::remove_file(path);
            }
            return;
        };
        let kind = self.kind;
        let force = if kind == Kind::Postgres { " WITH (FORCE)" } else { "" };
        let drop = format!("DROP DATABASE {}{force}", self.name);
        // A thread of its own, because the test may run in a runtime whose only thread this is.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(run(kind, &administration, &drop))
        });
        // The server may be gone. The next run with the same name deletes it.
        let _left = dropping.join();
    }
}

/// How tests open a SQLite file: without waiting for the disk, because what they store lasts as long as the test.
fn sqlite(url: &str) -> SqliteConnectOptions {
    let options: SqliteConnectOptions = url.parse().unwrap();
    options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Off)
}

/// How tests connect to PostgreSQL: without TLS, and without waiting for the disk either.
fn postgres(url: &str) -> PgConnectOptions {
    let options: PgConnectOptions = url.parse().unwrap();
    options.ssl_mode(PgSslMode::Disable).options([("synchronous_commit", "off")])
}

/// A new pool of connections to the database with this address.
pub(crate) async fn connect<P>(kind: Kind, url: &str, connections: u32) -> P
where
    P: From<SqlitePool> + From<PgPool> + From<MySqlPool>,
{
    match kind {
        Kind::Sqlite => {
            // The tests use the machine fully.
            let options = sqlite(url).busy_timeout(Duration::from_secs(30));
            SqlitePoolOptions::new().max_connections(connections).connect_with(options).await.unwrap().into()
        }
        Kind::Postgres => PgPoolOptions::new()
            .max_connections(connections)
            .connect_with(postgres(url))
            .await
            .unwrap()
            .into(),
        Kind::MySql => {
            MySqlPoolOptions::new().max_connections(connections).connect(url).await.unwrap().into()
        }
    }
}

/// Runs SQL on a connection of its own.
pub(crate) async fn run(kind: Kind, url: &str, sql: &str) -> Result<(), sqlx::Error> {
    let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    match kind {
        Kind::Sqlite => sql.execute(&mut SqliteConnection::connect_with(&sqlite(url)).await?).await.map(drop),
        Kind::Postgres => sql.execute(&mut PgConnection::connect_with(&postgres(url)).await?).await.map(drop),
        Kind::MySql => sql.execute(&mut MySqlConnection::connect(url).await?).await.map(drop),
    }
}
