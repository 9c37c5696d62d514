//! The connections, what their errors mean for the library, and times as the tables have them.

use axum_auth_module::BoxError;
use axum_auth_module::repository::RepositoryError;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use diesel_async::pooled_connection::AsyncDieselConnectionManager;
use diesel_async::pooled_connection::bb8::{Pool, PooledConnection};
use diesel_async::{AsyncConnection, AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

/// Any number, but the one that other instances of this host have.
const MIGRATION_LOCK: i64 = 7_236_651_104;

/// Runs the migrations that the database lacks. It blocks its thread, so the runtime must have several.
///
/// diesel takes no lock. Of several instances that start at once, one runs the migrations while the others wait.
pub(crate) async fn migrate(url: &str) -> Result<(), BoxError> {
    let mut connection = AsyncPgConnection::establish(url).await?;
    let lock = diesel::sql_query("SELECT pg_advisory_lock($1)");
    lock.bind::<diesel::sql_types::BigInt, _>(MIGRATION_LOCK).execute(&mut connection).await?;
    // The lock ends with the connection.
    AsyncMigrationHarness::new(connection).run_pending_migrations(MIGRATIONS)?;
    Ok(())
}

/// A pool of connections to PostgreSQL. Clones share it.
#[derive(Clone)]
pub(crate) struct Database(Pool<AsyncPgConnection>);

impl Database {
    /// The connections have no TLS: for a server elsewhere, `AsyncDieselConnectionManager::new_with_config` takes a function that
    /// connects with it.
    pub(crate) async fn open(url: &str) -> Result<Self, BoxError> {
        let manager = AsyncDieselConnectionManager::<AsyncPgConnection>::new(url);
        // A request that gets no connection in this time is a 503 response.
        let pool = Pool::builder().max_size(10).connection_timeout(Duration::from_secs(5));
        Ok(Self(pool.build(manager).await?))
    }

    pub(crate) async fn connection(
        &self,
    ) -> Result<PooledConnection<'_, AsyncPgConnection>, RepositoryError> {
        self.0.get().await.map_err(|error| RepositoryError::Unavailable(error.into()))
    }
}

/// What the library must know about an error of diesel: whether the database cannot be reached at the moment, which is a 503 response.
/// diesel does not say more of an error than its kind: a statement that is running when the server shuts down is a 500 response.
pub(crate) fn failure(error: Error) -> RepositoryError {
    use DatabaseErrorKind::{
        ClosedConnection, ReadOnlyTransaction, SerializationFailure, UnableToSendCommand,
    };
    match error {
        Error::DatabaseError(kind, information) => {
            let text = without_values(&kind, &*information);
            match kind {
                // With a read-only transaction, another server has become the primary one.
                ClosedConnection | UnableToSendCommand | SerializationFailure | ReadOnlyTransaction => {
                    RepositoryError::Unavailable(text.into())
                }
                _ => RepositoryError::other(text),
            }
        }
        error => error.into(),
    }
}

/// The text for the log. The message of the database can have values of a row in it, such as an address.
fn without_values(kind: &DatabaseErrorKind, information: &dyn DatabaseErrorInformation) -> String {
    let table = information.table_name().unwrap_or("-");
    let constraint = information.constraint_name().unwrap_or("-");
    format!("PostgreSQL refused a statement: {kind:?}, table {table}, constraint {constraint}")
}

/// A time in milliseconds since 1970. What the column cannot hold becomes the latest time that it can.
pub(crate) fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time that is stored as this number.
pub(crate) fn from_milliseconds(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds.try_into().unwrap_or_default())
}
