//! What an error of SeaORM means for a request.

use axum_auth_module::AuthError;
use sea_orm::{DbErr, RuntimeErr};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The response is 503 while the database is busy or cannot be reached, so that clients try again, and otherwise 500.
pub(crate) fn failure(error: DbErr) -> AuthError {
    let error = match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => error,
        DbErr::ConnectionAcquire(_) => return AuthError::Unavailable(error.into()),
        other => return AuthError::Internal(other.into()),
    };
    match is_unavailable(&error) {
        true => AuthError::Unavailable(StatementFailed(error).into()),
        false => AuthError::Internal(StatementFailed(error).into()),
    }
}

fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        // The lowest byte is SQLITE_BUSY: another connection has written for longer than `busy_timeout`.
        sqlx::Error::Database(error) => {
            let code = error.code().and_then(|code| code.parse::<u32>().ok());
            code.is_some_and(|code| code % 256 == 5)
        }
        _ => false,
    }
}

/// An error whose source is sqlx's. SeaORM's own errors have the text of sqlx's error and not the error itself, and that text can have
/// values of a row in it. With the error as the source, the library's log has the code, the table and the constraint alone.
#[derive(Debug)]
struct StatementFailed(Arc<sqlx::Error>);

impl fmt::Display for StatementFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a statement of SeaORM has failed")
    }
}

impl Error for StatementFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}
