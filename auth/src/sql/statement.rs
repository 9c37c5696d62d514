//! SQL statements with their values.

use crate::repository::RepositoryError;
use crate::user::TimestampOutOfRange;
use chrono::{DateTime, Datelike, TimeDelta, Utc};
use serde_json::Value;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, Encode, FromRow, Sqlite, SqlitePool, Type};
use std::time::{SystemTime, UNIX_EPOCH};

/// An SQL text and the values of its `?` placeholders, in order.
///
/// The text contains only the library's own SQL and [`Identifier`](super::identifier::Identifier)s. Data from a request
/// is always a value.
pub(super) struct Statement {
    sql: String,
    values: SqliteArguments,
}

impl Statement {
    /// A statement that begins with this text.
    pub(super) fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), values: SqliteArguments::default() }
    }

    /// Appends a text.
    pub(super) fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    /// Binds the value of the next `?`. Fails if the value cannot be encoded; that can happen with a host's id type.
    pub(super) fn bind<'q, T>(&mut self, value: T) -> Result<(), RepositoryError>
    where
        T: Encode<'q, Sqlite> + Type<Sqlite>,
    {
        self.values.add(value).map_err(RepositoryError::other)
    }

    /// Binds a time, as TEXT in the form of RFC 3339.
    pub(super) fn bind_time(&mut self, time: Option<SystemTime>) -> Result<(), RepositoryError> {
        self.bind(time.map(utc).transpose()?)
    }

    /// Binds a JSON value: strings, numbers, booleans and null as SQL values, arrays and objects as JSON text.
    pub(super) fn bind_json(&mut self, value: &Value) -> Result<(), RepositoryError> {
        match value {
            Value::Null => self.bind(None::<String>),
            Value::Bool(value) => self.bind(*value),
            Value::String(text) => self.bind(text.as_str()),
            Value::Array(_) | Value::Object(_) => self.bind(value.to_string()),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => self.bind(integer),
                // As a real number it would be rounded.
                None if number.is_u64() => {
                    Err(RepositoryError::other("the integer is too large for a column"))
                }
                // With serde_json's `arbitrary_precision` a number can be larger than any `f64`.
                None => match number.as_f64() {
                    Some(real) => self.bind(real),
                    None => Err(RepositoryError::other("the number is too large for a column")),
                },
            },
        }
    }

    /// Runs a statement that only reads, and returns its first row.
    pub(super) async fn read<T>(self, pool: &SqlitePool) -> Result<Option<T>, sqlx::Error>
    where
        T: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
    {
        sqlx::query_as_with(AssertSqlSafe(self.sql), self.values).fetch_optional(pool).await
    }

    /// Runs a statement that writes at most one record, and returns that record.
    ///
    /// It uses `fetch_all`, which runs the statement to completion. `fetch_optional` and `fetch_one` stop at the first
    /// row; the error of a commit after it would be lost, and a record that was not saved would be returned.
    pub(super) async fn write<T>(self, pool: &SqlitePool) -> Result<Option<T>, sqlx::Error>
    where
        T: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
    {
        Ok(sqlx::query_as_with(AssertSqlSafe(self.sql), self.values).fetch_all(pool).await?.pop())
    }

    #[cfg(test)]
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }
}

/// Converts the time to chrono's type. RFC 3339 allows the years 0 to 9999. chrono's own conversion is not used,
/// because it panics for times out of its range.
pub(super) fn utc(time: SystemTime) -> Result<DateTime<Utc>, TimestampOutOfRange> {
    let since_epoch = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => TimeDelta::from_std(after).ok(),
        Err(before) => TimeDelta::from_std(before.duration()).ok().map(|before| -before),
    };
    since_epoch
        .and_then(|since_epoch| DateTime::UNIX_EPOCH.checked_add_signed(since_epoch))
        .filter(|time| (0..=9999).contains(&time.year()))
        .ok_or(TimestampOutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_time_outside_the_range_of_rfc_3339_is_refused() {
        let seconds = Duration::from_secs;
        assert_eq!(utc(UNIX_EPOCH).unwrap().to_rfc3339(), "1970-01-01T00:00:00+00:00");
        assert_eq!(utc(UNIX_EPOCH - seconds(1)).unwrap().to_rfc3339(), "1969-12-31T23:59:59+00:00");
        assert_eq!(
            utc(UNIX_EPOCH + seconds(253_402_300_799)).unwrap().to_rfc3339(),
            "9999-12-31T23:59:59+00:00"
        );
        for beyond in [253_402_300_800, 1 << 45, 1 << 60] {
            assert_eq!(utc(UNIX_EPOCH + seconds(beyond)), Err(TimestampOutOfRange));
            assert_eq!(utc(UNIX_EPOCH - seconds(beyond)), Err(TimestampOutOfRange));
        }
    }

    #[test]
    fn an_integer_that_sql_cannot_hold_is_refused() {
        let mut statement = Statement::new("");
        assert!(statement.bind_json(&Value::from(i64::MAX)).is_ok());
        assert!(statement.bind_json(&Value::from(u64::MAX)).is_err());
    }

    #[test]
    fn a_number_that_sql_cannot_hold_is_refused() {
        // Without `arbitrary_precision` serde_json itself refuses to parse it. `tests/hosts/run` enables that feature.
        let refused = serde_json::from_str::<Value>("1e400")
            .map_or(true, |number| Statement::new("").bind_json(&number).is_err());
        assert!(refused);
    }
}
