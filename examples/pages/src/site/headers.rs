//! The headers of every response, and the stylesheet.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};

/// Nothing is allowed that the site does not need: no scripts but that for passkeys, nothing of another site, no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // The links in mails have tokens, which no other site must see. Not `no-referrer`: with it, browsers send
    // `Origin: null`, and where they send no `Sec-Fetch-Site` either, as over plain HTTP, no form would be accepted.
    (REFERRER_POLICY, "same-origin"),
    // The pages are the visitor's own.
    (CACHE_CONTROL, "no-store"),
];

/// Adds the headers that a response does not have yet.
pub(crate) async fn security_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// `GET /style.css`
pub(crate) async fn style() -> impl IntoResponse {
    let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "max-age=300")];
    (headers, include_str!("style.css"))
}
