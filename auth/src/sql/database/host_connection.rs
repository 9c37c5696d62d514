//! Connections of the host's own.

use super::super::statement::Statement;
use super::Dialect;
use super::driver::Driver;

/// A connection of the host's to one of the supported databases, which may be in a transaction: sqlx's `SqliteConnection`,
/// `PgConnection` or `MySqlConnection`. A `&mut Transaction` becomes one by `&mut *transaction`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a connection to a supported database",
    note = "give `&mut *transaction` or `&mut *connection`, of a database whose cargo feature is enabled"
)]
pub trait HostConnection: Send {
    /// Which database it is.
    #[doc(hidden)]
    const DIALECT: Dialect;

    /// Runs a statement, and returns the number of rows that it has found, inserted or deleted.
    #[doc(hidden)]
    fn run(&mut self, statement: Statement) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;
}

macro_rules! host_connections {
    ($($feature:literal $database:ty, $connection:ty;)*) => {$(
        #[cfg(feature = $feature)]
        impl HostConnection for $connection {
            const DIALECT: Dialect = <$database as Driver>::DIALECT;

            async fn run(&mut self, statement: Statement) -> Result<u64, sqlx::Error> {
                let (sql, values) = statement.into_parts();
                let arguments = <$database as Driver>::arguments(values)?;
                <$database as Driver>::execute(self, Self::DIALECT.render(sql), arguments).await
            }
        }
    )*};
}

host_connections! {
    "sqlite" sqlx::Sqlite, sqlx::SqliteConnection;
    "postgres" sqlx::Postgres, sqlx::PgConnection;
    "mysql" sqlx::MySql, sqlx::MySqlConnection;
}
