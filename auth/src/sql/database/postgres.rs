//! PostgreSQL.

use super::super::statement::Value;
use super::Dialect;
use super::driver::{Driver, Failure, driver};
use sqlx::Postgres;
use sqlx::error::DatabaseError;
use std::time::Duration;

impl Driver for Postgres {
    const DIALECT: Dialect = Dialect::Postgres;
    const TIMEOUT: Option<Duration> = Some(super::connections::TIMEOUT);
    const BEGIN: &'static str = "BEGIN";

    fn failure(error: &dyn DatabaseError) -> Failure {
        let code = error.code().unwrap_or_default();
        match &*code {
            // Serialization failure, deadlock.
            "40001" | "40P01" => Failure::Repeat,
            // "cached plan must not change result type": the table has a new column since the statement was prepared.
            "0A000" if error.message().starts_with("cached plan") => Failure::Repeat,
            // The statement was canceled by a timeout of the server, or the transaction is read-only on a standby.
            "57014" | "25006" => Failure::Unavailable,
            // Connection errors, insufficient resources, and the server is starting or shutting down.
            code if ["08", "53", "57P"].iter().any(|class| code.starts_with(class)) => Failure::Unavailable,
            _ => Failure::Other,
        }
    }

    driver!(Postgres);

    #[cfg(test)]
    const EXPLAIN: &'static str = "EXPLAIN ";

    #[cfg(test)]
    fn step(row: &Self::Row) -> String {
        sqlx::Row::get(row, 0)
    }
}
