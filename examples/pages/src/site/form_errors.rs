//! Errors that a visitor can correct in a form.

use axum::http::StatusCode;
use axum_auth_module::AuthError;
use axum_auth_module::error::{FieldError, FieldErrors};

/// Why a form is shown again.
#[derive(Default)]
pub(crate) struct FormErrors {
    status: StatusCode,
    retry_after: Option<u64>,
    /// About the form.
    pub(super) message: Option<String>,
    /// Pairs of a field and a sentence about it.
    pub(super) fields: Vec<(String, String)>,
}

impl FormErrors {
    /// The errors that a visitor can correct in the form. All others are returned, for the error page.
    pub(crate) fn of(error: AuthError) -> Result<Self, AuthError> {
        let text = error.to_string();
        let field = |name: &str| Self::unprocessable(None, vec![(name.to_owned(), text.clone())]);
        Ok(match error {
            AuthError::ValidationFailed(errors) => errors.into(),
            AuthError::EmailTaken => field("email"),
            AuthError::UsernameTaken => field("username"),
            AuthError::IncorrectPassword => field("currentPassword"),
            AuthError::InvalidTwoFactorCode | AuthError::InvalidLoginCode => field("code"),
            AuthError::InvalidRecoveryCode => field("recoveryCode"),
            AuthError::InvalidCredentials
            | AuthError::InvalidFlowToken
            | AuthError::InvalidResetToken
            | AuthError::ExpiredResetToken
            | AuthError::InvalidMailToken
            | AuthError::ExpiredMailToken
            | AuthError::InvalidVerificationLink
            | AuthError::ExpiredVerificationLink
            | AuthError::LastSignInMethod
            | AuthError::NotFound
            | AuthError::VerificationLinkNotYours => Self::about_form(text),
            AuthError::TooManyAttempts { retry_after } => {
                // Rounded up, so that a visitor who waits so long is not refused again.
                let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
                let message = format!("There were too many attempts. Try again in {}.", duration(seconds));
                Self {
                    status: StatusCode::TOO_MANY_REQUESTS,
                    retry_after: Some(seconds),
                    message: Some(message),
                    fields: Vec::new(),
                }
            }
            error => return Err(error),
        })
    }

    /// What has failed elsewhere, so that the visitor comes to this form. The page itself is in order.
    pub(crate) fn earlier(text: &str) -> Self {
        Self { message: Some(text.to_owned()), ..Self::default() }
    }

    /// An error of the form as a whole.
    pub(crate) fn about_form(text: String) -> Self {
        Self::unprocessable(Some(text), Vec::new())
    }

    fn unprocessable(message: Option<String>, fields: Vec<(String, String)>) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, retry_after: None, message, fields }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.message.is_none() && self.fields.is_empty()
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    pub(super) fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    /// Whether there is an error in this field.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.of_field(field).is_some()
    }

    pub(super) fn of_field(&self, field: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == field).map(|(_, text)| text.as_str())
    }
}

impl From<FieldErrors> for FormErrors {
    fn from(errors: FieldErrors) -> Self {
        let pair = |error: &FieldError| (error.field.to_string(), error.detail.to_string());
        Self::unprocessable(None, errors.iter().map(pair).collect())
    }
}

/// A time for people: `45 seconds`, `2 minutes`.
pub(super) fn duration(seconds: u64) -> String {
    match seconds {
        0 | 1 => "a second".to_owned(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}
