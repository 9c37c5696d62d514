//! SQLite.

use super::super::statement::Value;
use super::Dialect;
use super::driver::{Driver, Failure, driver};
use sqlx::Sqlite;
use sqlx::error::DatabaseError;
use std::time::Duration;

impl Driver for Sqlite {
    const DIALECT: Dialect = Dialect::Sqlite;
    /// A statement that waits for another writer fails after the pool's `busy_timeout`.
    const TIMEOUT: Option<Duration> = None;
    /// Not `BEGIN`, which locks at the first statement that writes and fails at once if another connection has written
    /// since the first read.
    const BEGIN: &'static str = "BEGIN IMMEDIATE";

    fn failure(error: &dyn DatabaseError) -> Failure {
        let code = error.code().and_then(|code| code.parse::<u32>().ok());
        // The lower byte of an extended code is the primary code: SQLITE_BUSY, SQLITE_LOCKED.
        match code.map(|code| code & 0xff) {
            Some(5 | 6) => Failure::Unavailable,
            _ => Failure::Other,
        }
    }

    /// sqlx 0.9 takes the columns from the prepared statement. If another connection has added one since, it panics in the
    /// thread of the connection, and returns neither a row nor an error. This statement reads the changed schema.
    const BEFORE_ALL_COLUMNS: Option<&'static str> = Some("SELECT 1 FROM sqlite_schema LIMIT 0");

    driver!(Sqlite);

    #[cfg(test)]
    const EXPLAIN: &'static str = "EXPLAIN QUERY PLAN ";

    #[cfg(test)]
    fn step(row: &Self::Row) -> String {
        sqlx::Row::get(row, "detail")
    }
}
