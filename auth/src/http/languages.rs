//! The language of a request (specification §28.2).

use crate::error::ErrorCode;
use crate::languages::{Language, Messages};
use crate::request::RequestContext;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

/// Negotiates the language (`Accept-Language`), runs the request in it, and names it in the response (`Content-Language`).
pub(super) async fn in_language_of_request(
    State(messages): State<Messages>,
    request: Request,
    next: Next,
) -> Response {
    let language = wanted(&messages, request.headers());
    let mut response = RequestContext::in_language(language.clone()).scope(next.run(request)).await;
    declare(&messages, &language, response.headers_mut());
    response
}

/// Negotiates the language for routes of the host. The request has the [`Language`] among its extensions, for the host's own texts.
/// The headers are for the library's errors alone: of everything else only the host knows whether it depends on the language.
pub(crate) fn with_languages<S>(messages: &Messages, routes: Router<S>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    routes.layer(from_fn_with_state(messages.clone(), in_language_of_visitor))
}

async fn in_language_of_visitor(
    State(messages): State<Messages>,
    mut request: Request,
    next: Next,
) -> Response {
    let language = wanted(&messages, request.headers());
    request.extensions_mut().insert(language.clone());
    let mut response = RequestContext::in_language(language.clone()).scope(next.run(request)).await;
    let is_error = response.extensions().get::<ErrorCode>().is_some();
    // The module's own routes have declared theirs.
    if is_error && !response.headers().contains_key(CONTENT_LANGUAGE) {
        declare(&messages, &language, response.headers_mut());
    }
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
