//! SQL statements with their values, the same for all databases.

use super::identifier::Identifier;
use crate::repository::RepositoryError;
use crate::user::TimestampOutOfRange;
use chrono::{DateTime, Datelike, TimeDelta, Utc};
use serde_json::Value as Json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An SQL text and the values of its `?` placeholders, in order.
///
/// The text contains only the library's own SQL and [`Identifier`]s, with `?` and `"` for nothing else than placeholders
/// and quoted names. Data from a request is always a value. `Id` is the type of the host's ids.
#[doc(hidden)]
#[derive(Clone)]
pub struct Statement<Id = String> {
    sql: String,
    values: Vec<Value<Id>>,
}

/// The value of a placeholder. A null has a type, too, because PostgreSQL requires one.
#[doc(hidden)]
#[derive(Clone)]
pub enum Value<Id> {
    Id(Id),
    Text(Option<String>),
    Integer(Option<i64>),
    Real(f64),
    Boolean(bool),
    Bytes(Option<Vec<u8>>),
    Time(Option<DateTime<Utc>>),
}

impl<Id> Statement<Id> {
    /// A statement that begins with this text.
    pub(super) fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), values: Vec::new() }
    }

    /// Appends a text.
    pub(super) fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    /// Adds the value of the next `?`.
    pub(super) fn bind(&mut self, value: impl Into<Value<Id>>) {
        self.values.push(value.into());
    }

    /// The same, in a chain of calls.
    pub(super) fn with(mut self, value: impl Into<Value<Id>>) -> Self {
        self.bind(value);
        self
    }

    /// Adds the id of a user as the value of the next `?`.
    pub(super) fn bind_id(&mut self, id: Id) {
        self.values.push(Value::Id(id));
    }

    /// Whether it only reads.
    pub(super) fn only_reads(&self) -> bool {
        self.sql.starts_with("SELECT ")
    }

    /// The text and the values.
    pub(super) fn into_parts(self) -> (String, Vec<Value<Id>>) {
        (self.sql, self.values)
    }

    #[cfg(test)]
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }
}

/// Generates the conversions of values that need no more than a variant.
macro_rules! values {
    ($($from:ty, $value:ident => $to:expr;)*) => {$(
        impl<Id> From<$from> for Value<Id> {
            fn from($value: $from) -> Self {
                $to
            }
        }
    )*};
}

values! {
    &str, text => Self::Text(Some(text.to_owned()));
    String, text => Self::Text(Some(text));
    Option<String>, text => Self::Text(text);
    Option<&str>, text => Self::Text(text.map(str::to_owned));
    i64, integer => Self::Integer(Some(integer));
    Option<i64>, integer => Self::Integer(integer);
    u32, integer => Self::Integer(Some(integer.into()));
    bool, boolean => Self::Boolean(boolean);
    &[u8], bytes => Self::Bytes(Some(bytes.to_owned()));
    Vec<u8>, bytes => Self::Bytes(Some(bytes));
    Option<&[u8]>, bytes => Self::Bytes(bytes.map(<[u8]>::to_owned));
    Option<DateTime<Utc>>, time => Self::Time(time);
    DateTime<Utc>, time => Self::Time(Some(time));
}

impl<Id> Value<Id> {
    /// The value of a column of the host's: strings, numbers, booleans and null as SQL values, arrays and objects as JSON
    /// text.
    ///
    /// # Errors
    /// If SQL has no number of this size.
    pub(super) fn of_json(value: &Json) -> Result<Self, RepositoryError> {
        Ok(match value {
            Json::Null => Self::Text(None),
            Json::Bool(value) => Self::Boolean(*value),
            Json::String(text) => text.as_str().into(),
            Json::Array(_) | Json::Object(_) => value.to_string().into(),
            Json::Number(number) => match number.as_i64() {
                Some(integer) => integer.into(),
                // As a real number it would be rounded.
                None if number.is_u64() => {
                    return Err(RepositoryError::other("the integer is too large for a column"));
                }
                // With serde_json's `arbitrary_precision` a number can be larger than any `f64`.
                None => match number.as_f64() {
                    Some(real) => Self::Real(real),
                    None => return Err(RepositoryError::other("the number is too large for a column")),
                },
            },
        })
    }
}

/// `"id", "name"`: a list of columns.
pub(super) fn columns(names: &[&Identifier]) -> String {
    let quoted: Vec<_> = names.iter().map(ToString::to_string).collect();
    quoted.join(", ")
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

/// A time as the library's own tables store it: in milliseconds since 1970.
pub(super) fn milliseconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis().try_into().unwrap_or(i64::MAX)
}

/// The time that is stored as this number of milliseconds.
pub(super) fn from_milliseconds(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds.try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_time_in_milliseconds_is_clamped_to_what_a_column_can_hold() {
        for milliseconds_since in [0, 1, 1_795_000_000_123] {
            assert_eq!(milliseconds(from_milliseconds(milliseconds_since)), milliseconds_since);
        }
        assert_eq!(milliseconds(UNIX_EPOCH - Duration::from_secs(1)), 0);
        assert_eq!(from_milliseconds(-1), UNIX_EPOCH);
    }

    #[test]
    fn a_number_that_sql_cannot_hold_is_refused() {
        assert!(Value::<String>::of_json(&Json::from(i64::MAX)).is_ok());
        assert!(Value::<String>::of_json(&Json::from(u64::MAX)).is_err());
        // Without `arbitrary_precision` serde_json itself refuses to parse it. `tests/hosts/run` enables that feature.
        let refused = serde_json::from_str::<Json>("1e400")
            .map_or(true, |number| Value::<String>::of_json(&number).is_err());
        assert!(refused);
    }
}
