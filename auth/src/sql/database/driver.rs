//! What the library needs of each of sqlx's databases.

use super::super::statement::Value;
use super::Dialect;
use sqlx::database::HasStatementCache;
use sqlx::error::DatabaseError;
use sqlx::{Encode, Type};
use std::time::Duration;

/// A type of ids that the database can store: whatever sqlx can bind for it.
#[doc(hidden)]
pub trait SqlId<D: sqlx::Database>: for<'q> Encode<'q, D> + Type<D> + Clone + Send + Sync + 'static {}

impl<D: sqlx::Database, T> SqlId<D> for T where
    T: for<'q> Encode<'q, D> + Type<D> + Clone + Send + Sync + 'static
{
}

/// One of sqlx's databases. The macro `driver!` implements what differs only in the types.
#[doc(hidden)]
pub trait Driver: sqlx::Database + HasStatementCache {
    /// How statements are written for it.
    const DIALECT: Dialect;

    /// How long a request waits for it by default.
    const TIMEOUT: Option<Duration>;

    /// The statement that begins a transaction that will write.
    const BEGIN: &'static str;

    /// What an error of the database means for the request.
    fn failure(error: &dyn DatabaseError) -> Failure;

    /// Encodes the values of a statement.
    fn arguments<Id: SqlId<Self>>(values: Vec<Value<Id>>) -> Result<Self::Arguments, sqlx::Error>;

    /// Runs a statement, and returns the number of rows that it has found, inserted or deleted.
    fn execute(
        connection: &mut Self::Connection,
        sql: String,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;

    /// Runs a statement to completion, and returns its rows.
    ///
    /// It is not `fetch_optional`, which stops at the first row: an error after it, such as that of a commit, would be lost.
    fn fetch(
        connection: &mut Self::Connection,
        sql: String,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Vec<Self::Row>, sqlx::Error>> + Send;

    /// A statement that must precede one that returns all columns, such as `SELECT *`. If there is one, connections do not
    /// keep such statements.
    const BEFORE_ALL_COLUMNS: Option<&'static str> = None;

    /// What EXPLAIN says about a statement, for the tests.
    #[cfg(test)]
    const EXPLAIN: &'static str;

    /// A row of what EXPLAIN says.
    #[cfg(test)]
    fn step(row: &Self::Row) -> String;
}

/// What an error of a database means for the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Failure {
    /// The database cannot serve anybody at the moment.
    Unavailable,
    /// The statement had no effect, and the same statement can succeed now: a deadlock, a serialization failure.
    Repeat,
    /// Anything else.
    Other,
}

/// Implements the functions of [`Driver`] whose code is the same for each database but whose types are not.
macro_rules! driver {
    ($database:ty) => {
        fn arguments<Id: super::driver::SqlId<Self>>(
            values: Vec<Value<Id>>,
        ) -> Result<Self::Arguments, sqlx::Error> {
            use sqlx::Arguments;
            let mut arguments = <$database as sqlx::Database>::Arguments::default();
            for value in values {
                let added = match value {
                    Value::Id(id) => arguments.add(id),
                    Value::Text(text) => arguments.add(text),
                    Value::Integer(integer) => arguments.add(integer),
                    Value::Real(real) => arguments.add(real),
                    Value::Boolean(boolean) => arguments.add(boolean),
                    Value::Bytes(bytes) => arguments.add(bytes),
                    Value::Time(time) => arguments.add(time),
                };
                added.map_err(sqlx::Error::Encode)?;
            }
            Ok(arguments)
        }

        async fn execute(
            connection: &mut Self::Connection,
            sql: String,
            arguments: Self::Arguments,
        ) -> Result<u64, sqlx::Error> {
            let query = sqlx::query_with(sqlx::AssertSqlSafe(sql), arguments);
            Ok(query.execute(connection).await?.rows_affected())
        }

        async fn fetch(
            connection: &mut Self::Connection,
            sql: String,
            arguments: Self::Arguments,
        ) -> Result<Vec<Self::Row>, sqlx::Error> {
            let persistent = Self::BEFORE_ALL_COLUMNS.is_none() || !sql.contains('*');
            let query = sqlx::query_with(sqlx::AssertSqlSafe(sql), arguments).persistent(persistent);
            query.fetch_all(connection).await
        }
    };
}
pub(super) use driver;
