//! Errors of requests: [`AuthError`], and the [`ErrorCode`] that the client sees. Neither depends on HTTP.
//!
//! Other modules have the errors of the host's code: actions return [`ActionError`](crate::actions::ActionError),
//! repositories return [`RepositoryError`](crate::repository::RepositoryError). A
//! [`ConfigError`](crate::config::ConfigError) lists the problems of a configuration.

mod code;
mod fields;

pub use code::ErrorCode;
pub(crate) use fields::FieldCollector;
pub use fields::{FieldError, FieldErrors};

use std::time::Duration;

/// The cause of a server error: any error of a host's provider.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The error of a request.
///
/// `Display` writes the sentence that the client sees. `source()` returns the cause of [`Internal`](Self::Internal) and
/// [`Unavailable`](Self::Unavailable), which is for logs only.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// The body is not a JSON object in UTF-8, or has a duplicate key.
    #[error("{}", ErrorCode::MalformedRequest.detail())]
    MalformedRequest,
    /// The bearer token is missing, malformed, expired, revoked or of another kind, or its user does not exist or is
    /// inactive.
    #[error("{}", ErrorCode::Unauthenticated.detail())]
    Unauthenticated,
    /// Login: the e-mail address is unknown, the password is wrong, or the account is inactive.
    #[error("{}", ErrorCode::InvalidCredentials.detail())]
    InvalidCredentials,
    /// The refresh token is invalid, expired or revoked.
    #[error("{}", ErrorCode::InvalidRefreshToken.detail())]
    InvalidRefreshToken,
    /// The refresh token was used before, and `refresh_grace` has passed since. Its session has ended.
    #[error("{}", ErrorCode::RefreshTokenReused.detail())]
    RefreshTokenReused,
    /// The challenge token is invalid, expired or used, or was tried too often.
    #[error("{}", ErrorCode::InvalidChallengeToken.detail())]
    InvalidChallengeToken,
    /// The password was not confirmed recently in this session.
    #[error("{}", ErrorCode::PasswordConfirmationRequired.detail())]
    PasswordConfirmationRequired,
    /// The route requires a verified e-mail address.
    #[error("{}", ErrorCode::EmailNotVerified.detail())]
    EmailNotVerified,
    /// The verification link is for another account than the access token.
    #[error("{}", ErrorCode::VerificationLinkNotYours.detail())]
    VerificationLinkNotYours,
    /// The user has no two-factor secret.
    #[error("{}", ErrorCode::TwoFactorNotEnabled.detail())]
    TwoFactorNotEnabled,
    /// The reset token is wrong, used, or not the newest.
    #[error("{}", ErrorCode::InvalidResetToken.detail())]
    InvalidResetToken,
    /// The reset token is correct but has expired.
    #[error("{}", ErrorCode::ExpiredResetToken.detail())]
    ExpiredResetToken,
    /// A part of the verification link was changed, or the account's address has changed since.
    #[error("{}", ErrorCode::InvalidVerificationLink.detail())]
    InvalidVerificationLink,
    /// The verification link has expired.
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
    /// Some fields are invalid.
    #[error("{}", ErrorCode::ValidationFailed.detail())]
    ValidationFailed(FieldErrors),
    /// Password confirmation and update: the current password is wrong.
    #[error("{}", ErrorCode::IncorrectPassword.detail())]
    IncorrectPassword,
    /// A limit is reached.
    #[error("{}", ErrorCode::TooManyAttempts.detail())]
    TooManyAttempts {
        /// The time until the next attempt is allowed.
        retry_after: Duration,
    },
    /// A provider or action of the host failed, or stored data cannot be read.
    #[error("{}", ErrorCode::InternalError.detail())]
    Internal(#[source] BoxError),
    /// The queue for password hashing is full.
    #[error("{}", ErrorCode::Overloaded.detail())]
    Overloaded,
    /// The store cannot be reached, or the request took longer than `request_timeout`.
    #[error("{}", ErrorCode::Unavailable.detail())]
    Unavailable(#[source] BoxError),
}

impl AuthError {
    /// An [`Internal`](Self::Internal) error with this cause.
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

    /// The value of `Retry-After`, which 429 and 503 responses have (specification §6.7).
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
