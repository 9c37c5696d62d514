//! Errors: those that a visitor can correct in a form, those that another page ends, and all others.

use super::{Next, Notice, Page};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, StatusCode};
use axum_auth_module::AuthError;
use axum_auth_module::error::{ErrorCode, FieldError, FieldErrors};
use maud::html;

/// Why a form is shown again.
#[derive(Default)]
pub(crate) struct FormErrors {
    status: StatusCode,
    retry_after: Option<u64>,
    /// About the form.
    message: Option<String>,
    /// Pairs of a field and a sentence about it.
    fields: Vec<(String, String)>,
}

impl FormErrors {
    /// The errors that a visitor can correct in the form. All others are returned, and become what `site/htmx.rs` says.
    pub(crate) fn of(error: AuthError) -> Result<Self, AuthError> {
        let text = error.to_string();
        let field = |name: &str| Self::of_fields(vec![(name.to_owned(), text.clone())]);
        Ok(match error {
            AuthError::ValidationFailed(errors) => errors.into(),
            AuthError::EmailTaken => field("email"),
            AuthError::IncorrectPassword => field("password"),
            AuthError::InvalidTwoFactorCode | AuthError::InvalidRecoveryCode => field("code"),
            AuthError::InvalidCredentials => Self { message: Some(text), ..Self::of_fields(Vec::new()) },
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

    fn of_fields(fields: Vec<(String, String)>) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, retry_after: None, message: None, fields }
    }

    pub(super) const fn status(&self) -> StatusCode {
        self.status
    }

    pub(super) const fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    pub(super) fn of_field(&self, field: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == field).map(|(_, text)| text.as_str())
    }

    /// The texts that belong to none of these fields.
    pub(super) fn elsewhere(&self, shown: &[&str]) -> Vec<&str> {
        let hidden = self.fields.iter().filter(|(name, _)| !shown.contains(&name.as_str()));
        self.message.as_deref().into_iter().chain(hidden.map(|(_, text)| text.as_str())).collect()
    }
}

impl From<FieldErrors> for FormErrors {
    fn from(errors: FieldErrors) -> Self {
        let pair = |error: &FieldError| (error.field.to_string(), error.detail.to_string());
        Self::of_fields(errors.iter().map(pair).collect())
    }
}

/// The page on which the visitor ends this error, and from which the visitor comes back to `next`.
pub(super) fn page_against(code: ErrorCode, next: &Next) -> Option<String> {
    match code {
        ErrorCode::Unauthenticated => Some(next.after("/login")),
        ErrorCode::PasswordConfirmationRequired | ErrorCode::InsufficientUserAuthentication => {
            Some(next.after("/confirm"))
        }
        ErrorCode::InvalidChallengeToken => Some(Notice::LoginExpired.on("/login")),
        _ => None,
    }
}

/// The page for every other error. `headers` are those of its response.
pub(super) fn explanation(status: StatusCode, code: Option<ErrorCode>, headers: &HeaderMap) -> Page {
    let (title, text) = match (status, code) {
        (_, Some(ErrorCode::CrossOriginRequest)) => {
            ("Not from here", "This form was sent from another site. If that was you, open the page here.")
        }
        (StatusCode::NOT_FOUND, _) => ("Not found", "There is no such page."),
        (StatusCode::METHOD_NOT_ALLOWED, _) => ("Not possible", "This page cannot be used in this way."),
        (StatusCode::TOO_MANY_REQUESTS, _) => ("Too many attempts", "There were too many attempts."),
        (StatusCode::SERVICE_UNAVAILABLE, _) => ("Busy", "The site is very busy at the moment."),
        (status, _) if status.is_server_error() => ("Our mistake", "Something went wrong. It is in our log."),
        _ => ("Not understood", "The request could not be read. Go back and try again."),
    };
    let seconds = headers.get(RETRY_AFTER).and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    let again = seconds.map(|seconds| format!(" Try again in {}.", duration(seconds)));
    Page::problem(title, status, html! { p { (text) (again.unwrap_or_default()) } })
}

/// A time for people: `45 seconds`, `2 minutes`.
fn duration(seconds: u64) -> String {
    match seconds {
        0 | 1 => "a second".to_owned(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}
