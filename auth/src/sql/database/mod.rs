//! The databases: how a statement is written and run on each of them.
//!
//! [`Driver`] is what the three databases have in common, [`Connections`] a pool of one of them, and [`Database`] a pool of
//! any of them. A file for each database has what is particular to it.

mod acquired;
mod connections;
mod dialect;
mod driver;
mod failure;
mod host_connection;
mod into_database;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(test)]
pub(super) mod plans;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
mod row;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(test)]
pub(super) use acquired::MOST;
pub(super) use connections::Connections;
#[cfg(feature = "mysql")]
pub(super) use connections::{On, Work};
pub(crate) use dialect::Dialect;
pub(super) use dialect::PerDialect;
pub(super) use failure::{is_taken, is_taken_key, repository_error};
pub use host_connection::HostConnection;
pub use into_database::IntoDatabase;
pub use record::UserIn;
pub(super) use record::{Records, Write};
pub(super) use row::Row;

use super::statement::Statement;

/// Generates [`Database`], with a variant for each database whose cargo feature is enabled.
macro_rules! databases {
    ($($feature:literal $Variant:ident $driver:ty, $pool:ty;)*) => {
        /// A pool of connections to one of the supported databases.
        ///
        /// The adapters and [`migrate`](super::migrate) accept a `SqlitePool`, `PgPool` or `MySqlPool`. A host names this
        /// type only if it decides at run time which database it uses:
        ///
        /// ```
        /// use axum_auth_module::sql::{Database, SqlSessions};
        #[cfg_attr(feature = "sqlite", doc = "use sqlx::SqlitePool;")]
        ///
        /// # async fn connect(url: &str) -> Result<(), sqlx::Error> {
        /// let database: Database = match url.split_once(':') {
        #[cfg_attr(feature = "postgres", doc = "    Some((\"postgres\", _)) => sqlx::PgPool::connect(url).await?.into(),")]
        #[cfg_attr(feature = "mysql", doc = "    Some((\"mysql\", _)) => sqlx::MySqlPool::connect(url).await?.into(),")]
        #[cfg_attr(feature = "sqlite", doc = "    _ => SqlitePool::connect(url).await?.into(),")]
        #[cfg_attr(not(feature = "sqlite"), doc = "    _ => panic!(\"not a supported database\"),")]
        /// };
        /// let sessions = SqlSessions::new(database);
        /// # drop(sessions); Ok(()) }
        /// ```
        ///
        /// A pool with `PoolOptions::test_before_acquire(false)` is faster: sqlx then does not ask the server before each
        /// statement whether the connection still works, which is a round trip. The library tests a connection itself
        /// before it writes, and repeats a read on another connection if the first one was closed. Other code that uses the
        /// pool must be able to do without that test, too.
        ///
        /// Clones share the pool.
        #[derive(Clone)]
        pub struct Database(pub(super) Inner);

        #[derive(Clone)]
        pub(super) enum Inner {
            $(#[cfg(feature = $feature)] $Variant(Connections<$driver>),)*
        }

        $(
            #[cfg(feature = $feature)]
            impl From<$pool> for Database {
                fn from(pool: $pool) -> Self {
                    Self(Inner::$Variant(Connections::new(pool)))
                }
            }

            #[cfg(feature = $feature)]
            impl From<&$pool> for Database {
                fn from(pool: &$pool) -> Self {
                    pool.clone().into()
                }
            }
        )*

        impl Database {
            /// Which database it is.
            pub(super) const fn dialect(&self) -> Dialect {
                match self.0 {
                    $(#[cfg(feature = $feature)] Inner::$Variant(_) => Dialect::$Variant,)*
                }
            }

            /// Runs a statement, and returns the number of rows that it has found, inserted or deleted.
            pub(super) async fn execute(&self, statement: Statement) -> Result<u64, sqlx::Error> {
                match &self.0 {
                    $(#[cfg(feature = $feature)] Inner::$Variant(pool) => pool.execute(statement).await,)*
                }
            }

            /// Runs a statement, and returns its rows.
            pub(super) async fn fetch(&self, statement: Statement) -> Result<Vec<Row>, sqlx::Error> {
                match &self.0 {
                    $(#[cfg(feature = $feature)] Inner::$Variant(pool) => {
                        Ok(pool.fetch(statement).await?.into_iter().map(Row::$Variant).collect())
                    })*
                }
            }
        }

        impl Database {
            /// Asks the database for an answer, for a health check.
            ///
            /// # Errors
            /// If it does not respond in time.
            pub async fn ping(&self) -> Result<(), sqlx::Error> {
                self.execute(Statement::new("SELECT 1")).await.map(drop)
            }

            /// Closes the pool, for a graceful shutdown.
            pub async fn close(&self) {
                match &self.0 {
                    $(#[cfg(feature = $feature)] Inner::$Variant(pool) => pool.pool().close().await,)*
                }
            }

            /// Limits how long a request waits for this database, connecting included. The default is 1.5 seconds for
            /// PostgreSQL and MySQL, so that a server that does not respond is a 503 response within two seconds. SQLite has
            /// no limit but the pool's own `busy_timeout`.
            #[must_use]
            pub fn timeout(self, timeout: std::time::Duration) -> Self {
                match self.0 {
                    $(#[cfg(feature = $feature)] Inner::$Variant(pool) => Self(Inner::$Variant(pool.timeout(timeout))),)*
                }
            }
        }
    };
}

databases! {
    "sqlite" Sqlite sqlx::Sqlite, sqlx::SqlitePool;
    "postgres" Postgres sqlx::Postgres, sqlx::PgPool;
    "mysql" MySql sqlx::MySql, sqlx::MySqlPool;
}

impl Database {
    /// The pool, if it is one of MySQL.
    #[cfg(feature = "mysql")]
    pub(super) const fn mysql(&self) -> Option<&Connections<sqlx::MySql>> {
        match &self.0 {
            Inner::MySql(pool) => Some(pool),
            #[cfg(any(feature = "sqlite", feature = "postgres"))]
            _ => None,
        }
    }
}

impl From<&Self> for Database {
    fn from(database: &Self) -> Self {
        database.clone()
    }
}
