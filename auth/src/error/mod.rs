//! Why a request fails: [`AuthError`], and the [`ErrorCode`] that the client sees. Neither knows HTTP.
//!
//! What a host's own code returns is elsewhere: [`ActionError`](crate::actions::ActionError) from an action,
//! [`RepositoryError`](crate::repository::RepositoryError) from a repository. [`ConfigError`](crate::config::ConfigError)
//! lists what is wrong with a configuration.

mod code;
mod fields;

pub use code::ErrorCode;
pub(crate) use fields::FieldCollector;
pub use fields::{FieldError, FieldErrors};

use std::time::Duration;

/// The cause of a failure that is not the client's: any error of a host's adapter.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a request was not carried out.
///
/// `Display` gives the sentence a client may see. The cause of [`Internal`](Self::Internal) and
/// [`Unavailable`](Self::Unavailable) is reached through `source()` and belongs in a log only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// The body is not what JSON can be: wrong encoding, syntax, duplicate keys, or no object at the top.
    #[error("{}", ErrorCode::MalformedRequest.detail())]
    MalformedRequest,
    /// The bearer token is missing, malformed, expired, revoked or of another purpose, or its user is gone.
    #[error("{}", ErrorCode::Unauthenticated.detail())]
    Unauthenticated,
    /// Login: unknown e-mail address and wrong password alike.
    #[error("{}", ErrorCode::InvalidCredentials.detail())]
    InvalidCredentials,
    /// The refresh token does not open anything, or not any more.
    #[error("{}", ErrorCode::InvalidRefreshToken.detail())]
    InvalidRefreshToken,
    /// The refresh token was used before, longer ago than the grace; its whole session has ended.
    #[error("{}", ErrorCode::RefreshTokenReused.detail())]
    RefreshTokenReused,
    /// The challenge token opens nothing, or nothing any more.
    #[error("{}", ErrorCode::InvalidChallengeToken.detail())]
    InvalidChallengeToken,
    /// The session has not confirmed its password recently.
    #[error("{}", ErrorCode::PasswordConfirmationRequired.detail())]
    PasswordConfirmationRequired,
    /// The e-mail address is not verified, and the route asks for that.
    #[error("{}", ErrorCode::EmailNotVerified.detail())]
    EmailNotVerified,
    /// The verification link is for another account than the bearer's.
    #[error("{}", ErrorCode::VerificationLinkNotYours.detail())]
    VerificationLinkNotYours,
    /// There is no two-factor secret to show.
    #[error("{}", ErrorCode::TwoFactorNotEnabled.detail())]
    TwoFactorNotEnabled,
    /// The reset token does not open anything, or not any more.
    #[error("{}", ErrorCode::InvalidResetToken.detail())]
    InvalidResetToken,
    /// The reset token is right and too old.
    #[error("{}", ErrorCode::ExpiredResetToken.detail())]
    ExpiredResetToken,
    /// The verification link was changed, or is for another address than the account has now.
    #[error("{}", ErrorCode::InvalidVerificationLink.detail())]
    InvalidVerificationLink,
    /// The verification link is too old.
    #[error("{}", ErrorCode::ExpiredVerificationLink.detail())]
    ExpiredVerificationLink,
    /// The one-time code is wrong, or was used before.
    #[error("{}", ErrorCode::InvalidTwoFactorCode.detail())]
    InvalidTwoFactorCode,
    /// The recovery code is wrong, or was used before.
    #[error("{}", ErrorCode::InvalidRecoveryCode.detail())]
    InvalidRecoveryCode,
    /// The address belongs to another account.
    #[error("{}", ErrorCode::EmailTaken.detail())]
    EmailTaken,
    /// Some fields do not hold what they have to.
    #[error("{}", ErrorCode::ValidationFailed.detail())]
    ValidationFailed(FieldErrors),
    /// The password given to confirm an action is not the account's.
    #[error("{}", ErrorCode::IncorrectPassword.detail())]
    IncorrectPassword,
    /// A limit is reached.
    #[error("{}", ErrorCode::TooManyAttempts.detail())]
    TooManyAttempts {
        /// How long until the next attempt is let through.
        retry_after: Duration,
    },
    /// An adapter or action failed in a way that is not the client's.
    #[error("{}", ErrorCode::InternalError.detail())]
    Internal(#[source] BoxError),
    /// The queue for password hashing is full.
    #[error("{}", ErrorCode::Overloaded.detail())]
    Overloaded,
    /// A store that security depends on cannot be reached.
    #[error("{}", ErrorCode::Unavailable.detail())]
    Unavailable(#[source] BoxError),
}

impl AuthError {
    /// A failure that is not the client's.
    pub fn internal(cause: impl Into<BoxError>) -> Self {
        Self::Internal(cause.into())
    }

    /// The frozen code that a client sees.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::MalformedRequest => ErrorCode::MalformedRequest,
            Self::Unauthenticated => ErrorCode::Unauthenticated,
            Self::InvalidCredentials => ErrorCode::InvalidCredentials,
            Self::InvalidRefreshToken => ErrorCode::InvalidRefreshToken,
            Self::RefreshTokenReused => ErrorCode::RefreshTokenReused,
            Self::InvalidChallengeToken => ErrorCode::InvalidChallengeToken,
            Self::PasswordConfirmationRequired => ErrorCode::PasswordConfirmationRequired,
            Self::EmailNotVerified => ErrorCode::EmailNotVerified,
            Self::VerificationLinkNotYours => ErrorCode::VerificationLinkNotYours,
            Self::TwoFactorNotEnabled => ErrorCode::TwoFactorNotEnabled,
            Self::InvalidResetToken => ErrorCode::InvalidResetToken,
            Self::ExpiredResetToken => ErrorCode::ExpiredResetToken,
            Self::InvalidVerificationLink => ErrorCode::InvalidVerificationLink,
            Self::ExpiredVerificationLink => ErrorCode::ExpiredVerificationLink,
            Self::InvalidTwoFactorCode => ErrorCode::InvalidTwoFactorCode,
            Self::InvalidRecoveryCode => ErrorCode::InvalidRecoveryCode,
            Self::EmailTaken => ErrorCode::EmailTaken,
            Self::ValidationFailed(_) => ErrorCode::ValidationFailed,
            Self::IncorrectPassword => ErrorCode::IncorrectPassword,
            Self::TooManyAttempts { .. } => ErrorCode::TooManyAttempts,
            Self::Internal(_) => ErrorCode::InternalError,
            Self::Overloaded => ErrorCode::Overloaded,
            Self::Unavailable(_) => ErrorCode::Unavailable,
        }
    }

    /// What `Retry-After` says, where it is said (specification §6.7: 429 and 503 carry it).
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::TooManyAttempts { retry_after } => Some(*retry_after),
            Self::Overloaded => Some(Duration::from_secs(1)),
            Self::Unavailable(_) => Some(Duration::from_secs(5)),
            _ => None,
        }
    }
}

impl From<FieldErrors> for AuthError {
    fn from(fields: FieldErrors) -> Self {
        Self::ValidationFailed(fields)
    }
}
