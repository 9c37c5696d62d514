//! Middleware around every endpoint: timeout, panic handler, client address, credential, and `Cache-Control: no-store`.

use super::Problem;
use super::client_address::visitor;
use super::credential::check;
use crate::core::Core;
use crate::endpoint::Endpoint;
use crate::error::AuthError;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;

/// Checks the credential and runs the handler. If a provider of the host hangs, the response is 503 after the request
/// timeout; if it panics, the response is 500. Later requests are not affected.
pub(super) async fn guard(
    State((core, endpoint)): State<(Core, Endpoint)>,
    mut request: Request,
    next: Next,
) -> Response {
    let config = core.config.clone();
    let visitor = visitor(request.extensions(), request.headers(), &config.trusted_proxies);
    request.extensions_mut().insert(visitor.clone());
    let run = AssertUnwindSafe(async move {
        match check(&core, &endpoint, &visitor, &mut request).await {
            Ok(()) => next.run(request).await,
            Err(error) => failed(error),
        }
    });
    let response = match tokio::time::timeout(config.request_timeout, run.catch_unwind()).await {
        Ok(Ok(response)) => response,
        Ok(Err(_panic)) => failed(AuthError::internal("a handler or one of the host's providers panicked")),
        Err(_elapsed) => {
            failed(AuthError::Unavailable("the request took longer than request_timeout".into()))
        }
    };
    no_store(response)
}

fn failed(error: AuthError) -> Response {
    Problem::from(error).into_response()
}

/// Responses contain tokens and secrets, so caches must not store them (RFC 6749 §5.1).
fn no_store(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
