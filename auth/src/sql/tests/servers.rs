//! Databases for tests: a SQLite file, or an own database on a server of this machine, which the test drops.
//!
//! The servers are at their default local addresses, or where `POSTGRES_URL` and `MYSQL_URL` say. If a server does not
//! respond, one line says what is skipped; with the environment variable `CI` the test fails instead.

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    MySql,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::MySql];

    /// The address of the server, without the name of a database.
    fn server(self) -> String {
        let (variable, default) = match self {
            Self::Sqlite => return "sqlite:".to_owned(),
            Self::Postgres => ("POSTGRES_URL", "postgres://postgres@127.0.0.1:5432"),
            Self::MySql => ("MYSQL_URL", "mysql://root@127.0.0.1:3306"),
        };
        let url = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
        url.trim_end_matches('/').to_owned()
    }
}

/// An empty database of a test. It is deleted on drop.
pub(crate) struct TestDatabase {
    kind: Kind,
    name: String,
}

impl TestDatabase {
    /// A new database of this kind, or `None` if there is no server.
    pub(crate) async fn create(kind: Kind) -> Option<Self> {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let database = Self { kind, name: format!("auth_test_{}_{number}", std::process::id()) };
        let name = &database.name;
        let created = match kind {
            Kind::Sqlite => Ok(()),
            // A database with this name can be left from a process that was killed and had the same number.
            Kind::Postgres => {
                run(kind, &[format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")])
                    .await
            }
            Kind::MySql => {
                run(kind, &[format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")])
                    .await
            }
        };
        match created {
            Ok(()) => Some(database),
            Err(error) => {
                skip(kind, &error);
                // Nothing was created that would have to be deleted.
                std::mem::forget(database);
                None
            }
        }
    }

    /// Its address, for sqlx.
    pub(crate) fn url(&self) -> String {
        match self.kind {
            Kind::Sqlite => format!("sqlite:{}?mode=rwc", self.file().display()),
            Kind::Postgres => format!("{}/{}", Kind::Postgres.server(), self.name),
            Kind::MySql => format!("{}/{}", Kind::MySql.server(), self.name),
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
                let drop = format!("DROP DATABASE {}{force}", self.name);
                // A thread of its own, because the test may run in a runtime whose only thread this is.
                let dropping = std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                    runtime.block_on(run(kind, &[drop]))
                });
                // The server may be gone. The next run with the same name deletes it.
                let _left = dropping.join();
            }
        }
    }
}

/// Runs statements on a server, outside any database of a test.
async fn run(kind: Kind, statements: &[String]) -> Result<(), sqlx::Error> {
    match kind {
        Kind::Sqlite => {}
        Kind::Postgres => {
            let mut connection = PgConnection::connect(&format!("{}/postgres", kind.server())).await?;
            for statement in statements {
                sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(&mut connection).await?;
            }
        }
        Kind::MySql => {
            let mut connection = MySqlConnection::connect(&format!("{}/mysql", kind.server())).await?;
            for statement in statements {
                sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(&mut connection).await?;
            }
        }
    }
    Ok(())
}

/// Says once, past the capture of the test harness, that a server is missing.
fn skip(kind: Kind, error: &sqlx::Error) {
    static SKIPPED: LazyLock<Mutex<HashSet<Kind>>> = LazyLock::new(Mutex::default);
    assert!(std::env::var_os("CI").is_none(), "{kind:?} does not respond: {error}");
    if SKIPPED.lock().unwrap_or_else(PoisonError::into_inner).insert(kind) {
        let line = format!("SKIPPED: the tests on {kind:?}, because no server responds: {error}\n");
        let _closed = std::io::stderr().write_all(line.as_bytes());
    }
}
