//! Why a host's repository fails.

use crate::error::{AuthError, BoxError};
use crate::provider::ProviderError;
use crate::store::failed;

/// The failure of a repository.
///
/// `?` turns any error into [`Other`](Self::Other). The library handles the other variants: an adapter whose database
/// refuses a second row for an address must return [`EmailTaken`](Self::EmailTaken), so that two registrations at the same
/// time cannot both succeed.
///
/// It does not implement `std::error::Error` itself, because that would rule out the conversion from every error. In a
/// function that returns a [`BoxError`], `?` converts it nevertheless.
#[derive(Debug)]
#[non_exhaustive]
pub enum RepositoryError {
    /// Another record has this e-mail address.
    EmailTaken,
    /// Another record has the user name (specification §3.2).
    UsernameTaken,
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

impl From<RepositoryError> for BoxError {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::EmailTaken => "another record has this e-mail address".into(),
            RepositoryError::UsernameTaken => "another record has this user name".into(),
            RepositoryError::Stale => "the record changed while it was being written".into(),
            RepositoryError::Unavailable(cause) | RepositoryError::Other(cause) => cause,
        }
    }
}

impl From<RepositoryError> for AuthError {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::EmailTaken => Self::EmailTaken,
            RepositoryError::UsernameTaken => Self::UsernameTaken,
            RepositoryError::Stale => Self::internal("the user record changed while it was being written"),
            RepositoryError::Unavailable(cause) => Self::Unavailable(cause),
            // A refusal of the library that passed through a host's action.
            RepositoryError::Other(cause) => cause.downcast::<Self>().map_or_else(Self::Internal, |own| *own),
        }
    }
}

impl RepositoryError {
    /// The error of a request that depends on a repository of the library's own rows, such as sessions: 503, unless the table is
    /// missing.
    pub(crate) fn into_unavailable(self) -> AuthError {
        failed(match self {
            Self::Other(cause) | Self::Unavailable(cause) => cause,
            other => format!("{other:?} from a repository of the library's rows").into(),
        })
    }
}

impl ProviderError for RepositoryError {
    fn of(cause: BoxError, is_unavailable: bool) -> Self {
        if is_unavailable { Self::Unavailable(cause) } else { Self::Other(cause) }
    }

    fn is_refusal(&self) -> bool {
        !matches!(self, Self::Other(_) | Self::Unavailable(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_becomes_a_box_error_by_the_question_mark() {
        fn boxed(error: RepositoryError) -> Result<(), BoxError> {
            Err(error)?;
            Ok(())
        }
        let text = |error| boxed(error).unwrap_err().to_string();
        assert_eq!(text(RepositoryError::EmailTaken), "another record has this e-mail address");
        assert_eq!(text(RepositoryError::Stale), "the record changed while it was being written");
        assert_eq!(text(RepositoryError::other("no such table")), "no such table");
        assert_eq!(text(RepositoryError::Unavailable("it is away".into())), "it is away");
    }
}
