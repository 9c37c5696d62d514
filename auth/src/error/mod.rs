//! Errors of requests: [`AuthError`], and the [`ErrorCode`] that the client sees. Neither depends on HTTP.
//!
//! Other modules have the errors of the host's code: actions return [`ActionError`](crate::actions::ActionError),
//! repositories return [`RepositoryError`](crate::repository::RepositoryError). A
//! [`ConfigError`](crate::config::ConfigError) lists the problems of a configuration.

mod field_text;
mod fields;
mod table;
mod texts;

pub use field_text::FieldText;
pub(crate) use fields::{FieldCollector, with_number};
pub use fields::{FieldError, FieldErrors};
pub use table::{AuthError, ErrorCode, LinkToken, RestoreToken};
pub(crate) use texts::texts;

use std::time::Duration;

/// The cause of a server error: any error of a host's provider.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl AuthError {
    /// An [`Internal`](Self::Internal) error with this cause.
    pub fn internal(cause: impl Into<BoxError>) -> Self {
        Self::Internal(cause.into())
    }

    /// What has gone wrong, for the log: the cause, if there is one, without the sentence for the client.
    pub(crate) fn cause(&self) -> &(dyn std::error::Error + 'static) {
        std::error::Error::source(self).unwrap_or(self)
    }

    /// The value of `Retry-After`, which 429 and 503 responses have (specification §6.7).
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::TooManyAttempts { retry_after } | Self::Overloaded { retry_after } => Some(*retry_after),
            Self::Unavailable(_) | Self::ProviderUnavailable => Some(Duration::from_secs(5)),
            _ => None,
        }
    }
}

impl From<FieldErrors> for AuthError {
    fn from(fields: FieldErrors) -> Self {
        Self::ValidationFailed(fields)
    }
}
