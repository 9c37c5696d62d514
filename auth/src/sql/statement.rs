//! An SQL text together with its values.

use crate::repository::RepositoryError;
use crate::user::TimestampOutOfRange;
use chrono::{DateTime, Datelike, TimeDelta, Utc};
use serde_json::Value;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, Encode, FromRow, Sqlite, SqlitePool, Type};
use std::time::{SystemTime, UNIX_EPOCH};

/// An SQL text and the values of its `?` marks, in their order.
///
/// The text is made of the library's own words and of [`Identifier`](super::identifier::Identifier)s alone; whatever
/// comes from a request is a value.
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

    /// Binds the value of the next `?`. Fails if the value cannot be encoded, as an id of a host's type may.
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

    /// Binds a JSON value: texts, numbers, booleans and null as SQL has them, arrays and objects as JSON text.
    pub(super) fn bind_json(&mut self, value: &Value) -> Result<(), RepositoryError> {
        match value {
            Value::Null => self.bind(None::<String>),
            Value::Bool(value) => self.bind(*value),
            Value::String(text) => self.bind(text.as_str()),
            Value::Array(_) | Value::Object(_) => self.bind(value.to_string()),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => self.bind(integer),
                // A real number near it is not the number that was given.
                None if number.is_u64() => {
                    Err(RepositoryError::other("the integer is too great for a column"))
                }
                // With serde_json's `arbitrary_precision` a number can be greater than any `f64`.
                None => match number.as_f64() {
                    Some(real) => self.bind(real),
                    None => Err(RepositoryError::other("the number is too great for a column")),
                },
            },
        }
    }

    /// Runs a statement that only reads, and answers its first row.
    pub(super) async fn read<T>(self, pool: &SqlitePool) -> Result<Option<T>, sqlx::Error>
    where
        T: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
    {
        sqlx::query_as_with(AssertSqlSafe(self.sql), self.values).fetch_optional(pool).await
    }

    /// Runs a statement that writes one record at most, and answers that record.
    ///
    /// It is run to its end. `fetch_optional` and `fetch_one` leave a statement at its first row, and the commit that
    /// then follows may fail unseen: what was answered as saved would not be there.
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

/// The time as chrono has it. RFC 3339 has the years 0 to 9999; chrono's own conversion panics beyond its range.
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
    fn a_time_that_rfc_3339_cannot_write_is_refused() {
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
        // Without `arbitrary_precision` serde_json itself refuses to read it. `tests/hosts/run` switches it on.
        let refused = serde_json::from_str::<Value>("1e400")
            .map_or(true, |number| Statement::new("").bind_json(&number).is_err());
        assert!(refused);
    }
}
