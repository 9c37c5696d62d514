//! What a host's repository answers.

use crate::error::{AuthError, BoxError};

/// The failure of a repository.
///
/// `?` turns any error into [`Other`](Self::Other). The two that mean something to the library are said by name:
/// an adapter whose database refuses a second row for an address answers [`EmailTaken`](Self::EmailTaken), so that
/// two registrations at once cannot both succeed.
///
/// It does not implement `std::error::Error` itself, for that would rule out the conversion from every error.
#[derive(Debug)]
#[non_exhaustive]
pub enum RepositoryError {
    /// Another record has this e-mail address.
    EmailTaken,
    /// The patch is conditional and its condition does not hold. Nothing was written.
    Stale,
    /// Anything else. The text reaches the log and never a client.
    Other(BoxError),
}

impl RepositoryError {
    /// A failure that is described by a text for the log.
    pub fn other(cause: impl Into<BoxError>) -> Self {
        Self::Other(cause.into())
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for RepositoryError {
    fn from(cause: E) -> Self {
        Self::Other(Box::new(cause))
    }
}

impl From<RepositoryError> for AuthError {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::EmailTaken => Self::EmailTaken,
            RepositoryError::Stale => Self::internal("the user record changed while it was being written"),
            RepositoryError::Other(cause) => Self::Internal(cause),
        }
    }
}
