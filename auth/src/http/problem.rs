//! Errors as `application/problem+json` (RFC 9457, specification §6.6).

use crate::error::{AuthError, ErrorCode, FieldError, FieldErrors};
use crate::languages::Language;
use crate::telemetry::{cause, log};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::borrow::Cow;
use std::time::Duration;

/// An error response. It does not contain the cause of the error.
pub(crate) struct Problem {
    code: ErrorCode,
    errors: Option<FieldErrors>,
    methods: Option<&'static [&'static str]>,
    /// Why the host's policy does not allow this: its code and its sentence.
    reason: Option<(Cow<'static, str>, Cow<'static, str>)>,
    retry_after: Option<Duration>,
}

/// The body. `type` is `about:blank`, so `title` must be the status's phrase (RFC 9457 §4.2.1). Programs use `code`.
#[derive(Serialize)]
struct Body<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Vec<Field<'a>>>,
    /// What `POST /user/confirm-password` must be sent, if that is more than the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    methods: Option<&'static [&'static str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Field<'a> {
    field: &'a str,
    code: &'a str,
    detail: Cow<'a, str>,
}

impl<'a> Field<'a> {
    fn of(error: &'a FieldError, language: &'a Language) -> Self {
        Self { field: &error.field, code: &error.code, detail: language.of_field(error) }
    }
}

impl From<ErrorCode> for Problem {
    fn from(code: ErrorCode) -> Self {
        Self { code, errors: None, methods: None, reason: None, retry_after: None }
    }
}

impl From<AuthError> for Problem {
    /// Logs the cause, which the client must not see, and keeps the rest.
    fn from(error: AuthError) -> Self {
        let (code, retry_after) = (error.code(), error.retry_after());
        let mut problem = Self { retry_after, ..Self::from(code) };
        match error {
            AuthError::Internal(error) | AuthError::Unavailable(error) => {
                log::request_failed(code.as_str(), cause(&*error));
            }
            AuthError::ValidationFailed(errors) => problem.errors = Some(errors),
            AuthError::PasswordConfirmationRequired { with_code: true } => {
                problem.methods = Some(&["password", "code"]);
            }
            AuthError::NotAllowed { reason, detail } => problem.reason = Some((reason, detail)),
            _ => {}
        }
        problem
    }
}

impl IntoResponse for Problem {
    /// The sentences are in the language of the request; everything else is the same in all languages.
    fn into_response(self) -> Response {
        let language = Language::of_request();
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = Body {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: self.reason.as_ref().map_or_else(|| language.text(self.code), |(_, detail)| detail),
            code: self.code.as_str(),
            errors: self
                .errors
                .as_ref()
                .map(|errors| errors.iter().map(|error| Field::of(error, &language)).collect()),
            methods: self.methods,
            reason: self.reason.as_ref().map(|(reason, _)| &**reason),
        };
        // Strings and numbers always serialise. Even with an empty body, the response would have the right status.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (status, [(CONTENT_TYPE, "application/problem+json")], body).into_response();
        // For a layer of the host that renders errors as pages.
        response.extensions_mut().insert(self.code);
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds_up(wait)));
        }
        response
    }
}

/// `Retry-After` is in whole seconds (RFC 9110 §10.2.3). It is rounded up, so that a client that waits so long is not
/// refused again.
fn whole_seconds_up(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// Handlers, including the host's, can return the error as a response: a problem document.
///
/// The response has the [`ErrorCode`] among its extensions, so that a layer around the host's pages can replace it by a page
/// of the site:
///
/// ```
/// use axum::http::{HeaderValue, header::CONTENT_TYPE};
/// use axum::middleware::map_response;
/// use axum::response::Response;
/// use axum_auth_module::error::ErrorCode;
///
/// // Status, `Retry-After` and `Cache-Control` stay as they are.
/// async fn error_pages(mut response: Response) -> Response {
///     let Some(code) = response.extensions().get::<ErrorCode>() else { return response };
///     *response.body_mut() = format!("<h1>{}</h1>", code.detail()).into();
///     response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
///     response
/// }
///
/// let pages: axum::Router = axum::Router::new(/* the routes of the pages */).layer(map_response(error_pages));
/// # drop(pages);
/// ```
impl IntoResponse for AuthError {
    fn into_response(self) -> Response {
        Problem::from(self).into_response()
    }
}
