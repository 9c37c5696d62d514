//! Databases of the hosts: created empty before, and deleted after the comparison.

use crate::hosts;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::fs;
use std::path::PathBuf;

/// A database, which is deleted on drop.
pub(crate) enum Database {
    /// A file beside this program, which is on a disk, unlike the directory of temporary files of many systems.
    Sqlite(PathBuf),
    /// A database with this name on the server.
    Postgres { server: String, name: String },
}

impl Database {
    /// A new SQLite file.
    ///
    /// # Errors
    /// If there is no place for it.
    pub(crate) fn sqlite() -> Result<Self, String> {
        let database = Self::Sqlite(hosts::directory()?.join("load.db"));
        database.delete();
        Ok(database)
    }

    /// A new database on a PostgreSQL server, whose URL names no database: `postgres://postgres@127.0.0.1:5432`.
    ///
    /// # Errors
    /// If there is no such server, or it does not let us create a database.
    pub(crate) fn postgres(server: &str, name: &str) -> Result<Self, String> {
        let server = server.trim_end_matches('/').to_owned();
        // One of a run that was killed. Without `FORCE` this fails if another run is using it.
        execute(&server, &format!("DROP DATABASE IF EXISTS {name}"))?;
        execute(&server, &format!("CREATE DATABASE {name}"))?;
        Ok(Self::Postgres { server, name: name.to_owned() })
    }

    /// Its URL, for sqlx.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => format!("sqlite:{}", file.display()),
            Self::Postgres { server, name } => format!("{server}/{name}"),
        }
    }

    fn delete(&self) {
        match self {
            Self::Sqlite(file) => {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    let mut path = file.clone().into_os_string();
                    path.push(suffix);
                    // Most of these files do not exist.
                    let _ = fs::remove_file(path);
                }
            }
            Self::Postgres { server, name } => {
                // The server may be gone; the next run deletes it.
                let _ = execute(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.delete();
    }
}

fn execute(server: &str, sql: &str) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    // The URL can contain a password.
    let failed = |error: sqlx::Error| format!("PostgreSQL: {error}");
    runtime.block_on(async {
        let mut connection = PgConnection::connect(&format!("{server}/postgres")).await.map_err(failed)?;
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.map_err(failed)?;
        connection.close().await.map_err(failed)
    })
}
