//! Errors of requests, as pages of the site. The module's errors, those of axum's extractors and unknown paths end here,
//! so a handler can return `Result<Response, AuthError>` and use `?`.

use super::form_errors::duration;
use super::layout::{InLayout, Page};
use super::{Next, Notice};
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next as Inner;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::error::ErrorCode;
use maud::html;

/// The middleware. Errors that a visitor can do something about lead to the page for it, and then back.
pub(crate) async fn error_pages(request: Request, inner: Inner) -> Response {
    let wanted = wanted(&request);
    let response = inner.run(request).await;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<InLayout>().is_some() {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    // Only the module's errors have a code.
    let code = parts.extensions.get().copied();
    match code {
        Some(ErrorCode::Unauthenticated) => return Redirect::to(&wanted.after("/login")).into_response(),
        Some(ErrorCode::PasswordConfirmationRequired | ErrorCode::InsufficientUserAuthentication) => {
            return Redirect::to(&wanted.after("/confirm")).into_response();
        }
        Some(ErrorCode::EmailNotVerified) => {
            return Notice::VerifyFirst.on("/email-verification").into_response();
        }
        Some(ErrorCode::InvalidChallengeToken) => return Notice::LoginExpired.on("/login").into_response(),
        _ => {}
    }
    let seconds = parts.headers.get(RETRY_AFTER).and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    let (title, text) = explanation(status, code, seconds);
    let content = html! {
        p { (text) }
        p { a #error-home href="/" { "Go to the home page" } }
    };
    let page = Page::new(title).document(&content).into_string();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Response::from_parts(parts, Body::from(page))
}

/// The page to come back to. A form is not sent again: its page is shown, which has the same path in this site.
fn wanted(request: &Request) -> Next {
    let uri = request.uri();
    match *request.method() {
        Method::GET => Next::to(uri.path_and_query().map_or("/", |path| path.as_str())),
        _ => Next::to(uri.path()),
    }
}

fn explanation(status: StatusCode, code: Option<ErrorCode>, seconds: Option<u64>) -> (&'static str, String) {
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
    match seconds {
        Some(seconds) => (title, format!("{text} Try again in {}.", duration(seconds))),
        None => (title, text.to_owned()),
    }
}
