//! Errors as pages of this site.

use crate::site::{escape, page};
use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum_auth_module::AuthError;
use axum_auth_module::error::ErrorCode;

/// An error as a page. The handlers return it with `?`.
pub(crate) struct ErrorPage(AuthError);

impl From<AuthError> for ErrorPage {
    fn from(error: AuthError) -> Self {
        Self(error)
    }
}

impl IntoResponse for ErrorPage {
    fn into_response(self) -> Response {
        let mut body = format!("<p>{}", self.0.code().detail());
        if let AuthError::ValidationFailed(errors) = &self.0 {
            let items: String =
                errors.iter().map(|error| format!("<li>{}</li>", escape(&error.detail))).collect();
            body = format!("<ul>{items}</ul>");
        }
        if let Some(wait) = self.0.retry_after() {
            body += &format!("<p>Try again in {} seconds.", wait.as_secs());
        }
        // The status, `Retry-After` and `Cache-Control` are those of the error, and its cause is logged.
        with_page(self.0.into_response(), &body)
    }
}

/// The response already is a page of this site.
#[derive(Clone)]
struct Styled;

fn with_page(mut response: Response, body: &str) -> Response {
    let Html(html) = page("This did not work", &format!("{body}<p><a href=/>Back to the start</a>"));
    *response.body_mut() = Body::from(html);
    response.headers_mut().remove(CONTENT_LENGTH);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response.extensions_mut().insert(Styled);
    response
}

/// The errors of the extractors and of axum, in the style of this site.
pub(crate) async fn error_pages(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<Styled>().is_some() {
        return response;
    }
    let text = match response.extensions().get::<ErrorCode>() {
        Some(code) => code.detail(),
        None => status.canonical_reason().unwrap_or("Error"),
    };
    with_page(response, &format!("<p>{text}"))
}

pub(crate) async fn not_found() -> StatusCode {
    StatusCode::NOT_FOUND
}
