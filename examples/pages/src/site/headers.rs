//! The headers of every response, and the stylesheet.

use axum::extract::{Request, State};
use axum::http::header::InvalidHeaderValue;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Nothing is allowed that the site does not need: no scripts but that for passkeys, nothing of another site, no frames. The button of
/// a provider is a form, whose redirect to the provider the policy allows: the origins of the providers are added behind it.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

const HEADERS: [(HeaderName, &str); 3] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // The links in mails have tokens, which no other site must see. Not `no-referrer`: with it, browsers send
    // `Origin: null`, and where they send no `Sec-Fetch-Site` either, as over plain HTTP, no form would be accepted.
    (REFERRER_POLICY, "same-origin"),
    // The pages are the visitor's own.
    (CACHE_CONTROL, "no-store"),
];

/// The policy of a site whose forms lead to these origins, too.
pub(crate) fn policy(origins: &[String]) -> Result<HeaderValue, InvalidHeaderValue> {
    HeaderValue::try_from([&[POLICY.to_owned()], origins].concat().join(" "))
}

/// Adds the headers that a response does not have yet.
pub(crate) async fn security_headers(
    State(policy): State<HeaderValue>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().entry(CONTENT_SECURITY_POLICY).or_insert(policy);
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
