//! Why a host's repository fails.

use crate::error::{AuthError, BoxError};

/// The failure of a repository.
///
/// `?` turns any error into [`Other`](Self::Other). The library handles the other variants: an adapter whose database
/// refuses a second row for an address must return [`EmailTaken`](Self::EmailTaken), so that two registrations at the same
/// time cannot both succeed.
///
/// It does not implement `std::error::Error` itself, because that would rule out the conversion from every error.
#[derive(Debug)]
#[non_exhaustive]
pub enum RepositoryError {
    /// Another record has this e-mail address.
    EmailTaken,
    /// The condition of the patch is not met. Nothing was written.
    Stale,
    /// The database cannot be reached or is overloaded at the moment: a 503 response. The text reaches the log and never a
    /// client.
    Unavailable(BoxError),
    /// Anything else: a 500 response. The text reaches the log and never a client.
    Other(BoxError),
}

impl RepositoryError {
    /// A failure with a text for the log.
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
            RepositoryError::Unavailable(cause) => Self::Unavailable(cause),
            // A refusal of the library that passed through a host's action.
            RepositoryError::Other(cause) => cause.downcast::<Self>().map_or_else(Self::Internal, |own| *own),
        }
    }
}
