//! MySQL and MariaDB.

use super::super::statement::Value;
use super::Dialect;
use super::driver::{Driver, Failure, driver};
use sqlx::MySql;
use sqlx::error::DatabaseError;
use sqlx::mysql::MySqlDatabaseError;
use std::time::Duration;

impl Driver for MySql {
    const DIALECT: Dialect = Dialect::MySql;
    const TIMEOUT: Option<Duration> = Some(super::connections::TIMEOUT);
    const BEGIN: &'static str = "BEGIN";

    fn failure(error: &dyn DatabaseError) -> Failure {
        match error.try_downcast_ref::<MySqlDatabaseError>().map(MySqlDatabaseError::number) {
            // Deadlock. InnoDB has rolled back the whole transaction.
            Some(1213) => Failure::Repeat,
            // MariaDB with `innodb_snapshot_isolation`: another transaction has changed the row.
            Some(1020) => Failure::Repeat,
            // Too many connections; shutdown; lock wait timeout; read-only server; statement timeout.
            Some(1040 | 1203 | 1053 | 1205 | 1290 | 1836 | 1969 | 3024) => Failure::Unavailable,
            _ => Failure::Other,
        }
    }

    driver!(MySql);

    #[cfg(test)]
    const EXPLAIN: &'static str = "EXPLAIN ";

    #[cfg(test)]
    fn step(row: &Self::Row) -> String {
        use sqlx::Row;
        let cell = |name| row.get::<Option<String>, _>(name).unwrap_or_default();
        format!("{} {} {}", cell("type"), cell("possible_keys"), cell("key"))
    }
}
