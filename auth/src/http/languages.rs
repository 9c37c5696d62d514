//! The language of a request (specification §28.2).

use crate::languages::{Language, Messages, spoken};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// Runs everything that belongs to a request in the language that it wants most, and says in the response which one that is.
pub(super) async fn in_language_of_request(
    State(messages): State<Messages>,
    request: Request,
    next: Next,
) -> Response {
    let language = wanted(&messages, request.headers());
    let mut response = spoken(language.clone(), next.run(request)).await;
    declare(&messages, &language, response.headers_mut());
    response
}

/// The language that a request with these headers wants most. Several headers are one list (RFC 9110 §5.3).
fn wanted(messages: &Messages, headers: &HeaderMap) -> Language {
    let mut values = headers.get_all(ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok());
    match (values.next(), values.next()) {
        (None, _) => messages.first(),
        (Some(only), None) => messages.wanted(only),
        (Some(first), Some(second)) => {
            let all: Vec<_> = [first, second].into_iter().chain(values).collect();
            messages.wanted(&all.join(","))
        }
    }
}

/// `Content-Language`, and if there is a choice `Vary`, without which a cache would give one visitor's language to another.
fn declare(messages: &Messages, language: &Language, headers: &mut HeaderMap) {
    // The name of a language consists of letters, digits and hyphens.
    if let Ok(tag) = HeaderValue::from_str(language.tag()) {
        headers.insert(CONTENT_LANGUAGE, tag);
    }
    if messages.are_several() {
        headers.append(VARY, HeaderValue::from_static("Accept-Language"));
    }
}
