//! What an error of sqlx means for a request.

use super::driver::{Driver, Failure};
use crate::repository::RepositoryError;
use sqlx::Error;
use sqlx::error::DatabaseError;

/// The error of a repository. While the database cannot be reached or is overloaded, the request is a 503 response.
pub(in crate::sql) fn repository_error(error: Error) -> RepositoryError {
    if is_unavailable(&error) { RepositoryError::Unavailable(error.into()) } else { error.into() }
}

/// Whether a database has refused a row because there is one with its primary key or with its key in a unique index.
pub(in crate::sql) fn is_taken(error: &Error) -> bool {
    error.as_database_error().is_some_and(DatabaseError::is_unique_violation)
}

/// Whether MySQL has refused a row because there is one with its key in a unique index, and not because there is one with its id:
/// "Duplicate entry 'x' for key 'PRIMARY'", in MySQL 8 with the table before the name of the key.
pub(in crate::sql) fn is_taken_key(error: &Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        let message = error.message();
        error.is_unique_violation() && !message.ends_with("'PRIMARY'") && !message.ends_with(".PRIMARY'")
    })
}

/// Whether the database cannot be reached or is overloaded.
fn is_unavailable(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::Tls(_) | Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed => true,
        Error::Database(error) => {
            let failures = [
                #[cfg(feature = "sqlite")]
                sqlx::Sqlite::failure,
                #[cfg(feature = "postgres")]
                sqlx::Postgres::failure,
                #[cfg(feature = "mysql")]
                sqlx::MySql::failure,
            ];
            // Repeated and failed again: too many requests write the same rows.
            failures.iter().any(|failure| failure(&**error) != Failure::Other)
        }
        _ => false,
    }
}
