//! Rows of the library's own tables.

use chrono::{DateTime, Utc};
use sqlx::Row as _;

/// A row of any database.
pub(in crate::sql) enum Row {
    #[cfg(feature = "sqlite")]
    Sqlite(sqlx::sqlite::SqliteRow),
    #[cfg(feature = "postgres")]
    Postgres(sqlx::postgres::PgRow),
    #[cfg(feature = "mysql")]
    MySql(sqlx::mysql::MySqlRow),
}

/// A type in which the library reads a column.
pub(in crate::sql) trait Cell: Sized {
    fn read(row: &Row, column: &str) -> Result<Self, sqlx::Error>;
}

macro_rules! cells {
    ($($cell:ty),*) => {$(
        impl Cell for $cell {
            fn read(row: &Row, column: &str) -> Result<Self, sqlx::Error> {
                match row {
                    #[cfg(feature = "sqlite")]
                    Row::Sqlite(row) => row.try_get(column),
                    #[cfg(feature = "postgres")]
                    Row::Postgres(row) => row.try_get(column),
                    #[cfg(feature = "mysql")]
                    Row::MySql(row) => row.try_get(column),
                }
            }
        }
    )*};
}

cells!(String, Option<String>, i64, Option<i64>, bool, Vec<u8>, Option<Vec<u8>>, DateTime<Utc>);

impl Row {
    /// The value of a column.
    pub(in crate::sql) fn get<T: Cell>(&self, column: &str) -> Result<T, sqlx::Error> {
        T::read(self, column)
    }
}
