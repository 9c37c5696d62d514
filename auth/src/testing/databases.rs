//! Databases for tests: a SQLite file, or an own database on a server, which is deleted after the test.
//!
//! The library's own tests and the HTTP tests compile this file.

use super::servers::{MYSQL, POSTGRES};
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    MySql,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::MySql];

    /// The address of the server, without the name of a database. `None` if the test is to be skipped.
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
    /// A new database of this kind, or `None` if the test is to be skipped because there is no server.
    pub(crate) async fn create(kind: Kind) -> Option<Self> {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let server = kind.server()?;
        let database = Self { kind, server, name: format!("auth_test_{}_{number}", std::process::id()) };
        let name = &database.name;
        // One with this name can be left from a process that was killed and had the same number.
        let create = [format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")];
        run(kind, &database.server, &create).await.unwrap();
        Some(database)
    }

    /// Its address, for sqlx.
    pub(crate) fn url(&self) -> String {
        match self.kind {
            Kind::Sqlite => format!("sqlite:{}?mode=rwc", self.file().display()),
            Kind::Postgres | Kind::MySql => format!("{}/{}", self.server, self.name),
        }
    }

    fn file(&self) -> PathBuf {
        std::env::temp_dir().join(format!("{}.db", self.name))
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        match self.kind {
            Kind::Sqlite => {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    let mut path = self.file().into_os_string();
                    path.push(suffix);
                    // Most of these files do not exist.
                    let _absent = std::fs::remove_file(path);
                }
            }
            kind => {
                let force = if kind == Kind::Postgres { " WITH (FORCE)" } else { "" };
                let (server, drop) = (self.server.clone(), format!("DROP DATABASE {}{force}", self.name));
                // A thread of its own, because the test may run in a runtime whose only thread this is.
                let dropping = std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                    runtime.block_on(run(kind, &server, &[drop]))
                });
                // The server may be gone. The next run with the same name deletes it.
                let _left = dropping.join();
            }
        }
    }
}

/// Runs statements on a server, outside any database of a test.
async fn run(kind: Kind, server: &str, statements: &[String]) -> Result<(), sqlx::Error> {
    match kind {
        Kind::Sqlite => {}
        Kind::Postgres => {
            let mut connection = PgConnection::connect(&format!("{server}/postgres")).await?;
            for statement in statements {
                sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(&mut connection).await?;
            }
        }
        Kind::MySql => {
            let mut connection = MySqlConnection::connect(&format!("{server}/mysql")).await?;
            for statement in statements {
                sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(&mut connection).await?;
            }
        }
    }
    Ok(())
}
