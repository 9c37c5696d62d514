//! Why a host's action refuses or fails.

use crate::error::{AuthError, BoxError, FieldErrors};
use crate::repository::RepositoryError;

/// The refusal or failure of an action (specification §3.6).
///
/// `?` turns any error into an internal one, whose text reaches the log and never the client. A refusal that the
/// client must see has a constructor:
///
/// ```
/// use axum_auth_module::actions::ActionError;
/// use axum_auth_module::error::FieldErrors;
///
/// fn register(name: &str) -> Result<u32, ActionError> {
///     if name == "admin" {
///         return Err(FieldErrors::one("name", "reserved", "This name is reserved.").into());
///     }
///     Ok("7".parse()?) // a ParseIntError would be a 500
/// }
/// # assert!(register("admin").is_err());
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ActionError {
    /// The address belongs to another account: 409 `email_taken`.
    EmailTaken,
    /// The host does not accept the data: 422 `validation_failed` with these fields.
    Unprocessable(FieldErrors),
    /// One of the library's own refusals, passed on from the action's context.
    Refused(Box<AuthError>),
    /// Anything else: 500 `internal_error`.
    Internal(BoxError),
}

impl ActionError {
    /// The conflict of specification §3.6: the address belongs to another account.
    #[must_use]
    pub const fn conflict() -> Self {
        Self::EmailTaken
    }

    /// The mismatch of specification §3.4: the current password is wrong. 422
    /// `incorrect_password`.
    #[must_use]
    pub fn incorrect_password() -> Self {
        Self::Refused(Box::new(AuthError::IncorrectPassword))
    }

    /// A failure with a text for the log.
    pub fn internal(cause: impl Into<BoxError>) -> Self {
        Self::Internal(cause.into())
    }
}

impl From<FieldErrors> for ActionError {
    fn from(fields: FieldErrors) -> Self {
        Self::Unprocessable(fields)
    }
}

impl From<RepositoryError> for ActionError {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::EmailTaken => Self::EmailTaken,
            other => Self::Refused(Box::new(other.into())),
        }
    }
}

/// Any error becomes an internal one, except for the library's own refusals, which stay unchanged.
impl<E: std::error::Error + Send + Sync + 'static> From<E> for ActionError {
    fn from(error: E) -> Self {
        match (Box::new(error) as BoxError).downcast::<AuthError>() {
            Ok(refusal) => Self::Refused(refusal),
            Err(cause) => Self::Internal(cause),
        }
    }
}

impl From<ActionError> for AuthError {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::EmailTaken => Self::EmailTaken,
            ActionError::Unprocessable(fields) => Self::ValidationFailed(fields),
            ActionError::Refused(error) => *error,
            ActionError::Internal(cause) => Self::Internal(cause),
        }
    }
}
