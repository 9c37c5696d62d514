//! Errors as `application/problem+json` (RFC 9457, specification §6.6).

use super::response::time_text;
use crate::assurance::{Insufficient, Proof};
use crate::error::{AuthError, ErrorCode, FieldError, FieldErrors, LinkToken, RestoreToken};
use crate::languages::Language;
use crate::telemetry::{cause, log};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::borrow::Cow;
use std::time::{Duration, SystemTime};

/// An error response. It does not contain the cause of the error.
pub(crate) struct Problem {
    code: ErrorCode,
    details: Details,
    retry_after: Option<Duration>,
}

/// What some errors say beside their code.
enum Details {
    Nothing,
    Fields(FieldErrors),
    /// What must be confirmed, if that is more than the password, and what the user can prove.
    Confirm {
        methods: Option<&'static [&'static str]>,
        proofs: Vec<Proof>,
    },
    /// The bearer token is no valid API token.
    InvalidToken,
    /// The scope that an API token needs.
    Scope(&'static str),
    /// What a session must have proven.
    Insufficient(Insufficient),
    /// What links an identity to the account that has its address, and how a browser keeps it.
    Linked(LinkToken),
    /// When the account can be deleted, and what restores it.
    Leaving(SystemTime, Option<RestoreToken>),
    /// Why the host's policy does not allow this: its code and its sentence.
    Refused {
        reason: Cow<'static, str>,
        detail: Cow<'static, str>,
    },
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
    /// The levels that are enough (RFC 9470).
    #[serde(rename = "acrValues", skip_serializing_if = "Option::is_none")]
    acr_values: Option<Vec<&'static str>>,
    /// How long ago they may have been reached, in seconds.
    #[serde(rename = "maxAge", skip_serializing_if = "Option::is_none")]
    max_age: Option<u64>,
    /// What `POST /user/confirm-password` must be sent, if that is more than the password, or what the user can prove.
    #[serde(skip_serializing_if = "Option::is_none")]
    methods: Option<Vec<&'static str>>,
    /// What the user can prove.
    #[serde(rename = "confirmWith", skip_serializing_if = "Option::is_none")]
    confirm_with: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// What links an identity of a provider to the account that has its address.
    #[serde(rename = "linkToken", skip_serializing_if = "Option::is_none")]
    link_token: Option<&'a str>,
    /// From when on the account can be deleted.
    #[serde(rename = "deletesAt", skip_serializing_if = "Option::is_none")]
    deletes_at: Option<String>,
    /// What restores the account.
    #[serde(rename = "restoreToken", skip_serializing_if = "Option::is_none")]
    restore_token: Option<&'a str>,
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
        Self { code, details: Details::Nothing, retry_after: None }
    }
}

impl From<AuthError> for Problem {
    /// Logs the cause, which the client must not see, and keeps the rest.
    fn from(error: AuthError) -> Self {
        let (code, retry_after) = (error.code(), error.retry_after());
        let details = match error {
            AuthError::Internal(error) | AuthError::Unavailable(error) => {
                log::request_failed(code.as_str(), cause(&*error));
                Details::Nothing
            }
            AuthError::ValidationFailed(errors) => Details::Fields(errors),
            AuthError::PasswordConfirmationRequired { with_code, confirm_with } => {
                let methods: Option<&[_]> = with_code.then_some(&["password", "code"]);
                Details::Confirm { methods, proofs: confirm_with }
            }
            AuthError::InvalidApiToken => Details::InvalidToken,
            AuthError::InsufficientScope { scope } => Details::Scope(scope),
            AuthError::InsufficientUserAuthentication(insufficient) => Details::Insufficient(insufficient),
            AuthError::NotAllowed { reason, detail } => Details::Refused { reason, detail },
            AuthError::AccountExists { link_token: Some(token) } => Details::Linked(token),
            AuthError::AccountPendingDeletion { deletes_at, restore_token } => {
                Details::Leaving(deletes_at, restore_token)
            }
            _ => Details::Nothing,
        };
        Self { code, details, retry_after }
    }
}

impl IntoResponse for Problem {
    /// The sentences are in the language of the request; everything else is the same in all languages.
    fn into_response(self) -> Response {
        let language = Language::of_request();
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut body = Body {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: language.text(self.code),
            code: self.code.as_str(),
            errors: None,
            acr_values: None,
            max_age: None,
            methods: None,
            confirm_with: None,
            reason: None,
            link_token: None,
            deletes_at: None,
            restore_token: None,
        };
        // RFC 6750 §3: of every 401, and of a 403 if it is about the token.
        let mut challenge = (status == StatusCode::UNAUTHORIZED).then(|| HeaderValue::from_static("Bearer"));
        match &self.details {
            Details::Nothing => {}
            Details::Fields(errors) => {
                body.errors = Some(errors.iter().map(|error| Field::of(error, &language)).collect());
            }
            Details::Confirm { methods, proofs } => {
                body.methods = methods.map(<[_]>::to_vec);
                body.confirm_with = Some(names(proofs));
            }
            Details::Insufficient(insufficient) => {
                body.acr_values = Some(insufficient.level.accepted());
                body.max_age = max_age(insufficient);
                body.methods = Some(names(&insufficient.proofs));
                challenge = Some(step_up(insufficient));
            }
            Details::InvalidToken => {
                challenge = Some(HeaderValue::from_static("Bearer error=\"invalid_token\""));
            }
            Details::Scope(scope) => challenge = Some(insufficient_scope(scope)),
            Details::Linked(token) => body.link_token = Some(token.as_str()),
            Details::Leaving(deletes_at, token) => {
                body.deletes_at = Some(time_text(*deletes_at));
                body.restore_token = token.as_ref().map(RestoreToken::as_str);
            }
            Details::Refused { reason, detail } => (body.reason, body.detail) = (Some(&**reason), detail),
        }
        // Strings and numbers always serialise. Even with an empty body, the response would have the right status.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (status, [(CONTENT_TYPE, "application/problem+json")], body).into_response();
        // For a layer of the host that renders errors as pages.
        response.extensions_mut().insert(self.code);
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(challenge) = challenge {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds_up(wait)));
        }
        response
    }
}

fn names(proofs: &[Proof]) -> Vec<&'static str> {
    proofs.iter().map(|proof| proof.as_str()).collect()
}

/// `max_age` is in whole seconds, and at least one.
fn max_age(insufficient: &Insufficient) -> Option<u64> {
    insufficient.max_age.map(whole_seconds_up)
}

/// `WWW-Authenticate` of what a session has not proven (RFC 9470 §3). The description is in English, because a header is ASCII.
fn step_up(insufficient: &Insufficient) -> HeaderValue {
    let code = ErrorCode::InsufficientUserAuthentication;
    let (error, description, levels) =
        (code.as_str(), code.detail(), insufficient.level.accepted().join(" "));
    let age = max_age(insufficient).map(|seconds| format!(", max_age=\"{seconds}\"")).unwrap_or_default();
    let value = format!(
        "Bearer error=\"{error}\", error_description=\"{description}\", acr_values=\"{levels}\"{age}"
    );
    // All of it is ASCII. If it were not, the client would still learn that a credential is missing.
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// `WWW-Authenticate` of an API token without this scope (RFC 6750 §3.1). The names of scopes are ASCII without quotes.
fn insufficient_scope(scope: &str) -> HeaderValue {
    let value = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("Bearer error=\"insufficient_scope\""))
}

/// The duration in whole seconds. `Retry-After` has them (RFC 9110 §10.2.3). It is rounded up, so that a client that waits so long is not
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
