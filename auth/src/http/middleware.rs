//! What stands around every route: a deadline, a net for panics, the client's address, and `no-store`.

use super::Problem;
use super::client_address::client_address;
use crate::config::AuthConfig;
use crate::error::AuthError;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;

/// Runs a route. Whatever a host's adapter does in it, there is an answer and the next request is fine: one that
/// hangs is left behind after the request timeout, and one that panics is a 500.
pub(super) async fn guard(State(config): State<AuthConfig>, mut request: Request, next: Next) -> Response {
    let client = client_address(request.extensions(), request.headers(), &config.trusted_proxies);
    request.extensions_mut().insert(client);
    let run = AssertUnwindSafe(next.run(request)).catch_unwind();
    let response = match tokio::time::timeout(config.request_timeout, run).await {
        Ok(Ok(response)) => response,
        Ok(Err(_panic)) => failed(AuthError::internal("a handler or one of the host's adapters panicked")),
        Err(_elapsed) => {
            failed(AuthError::Unavailable("the request took longer than request_timeout".into()))
        }
    };
    never_stored(response)
}

fn failed(error: AuthError) -> Response {
    Problem::from(error).into_response()
}

/// Tokens and secrets are in these answers; no cache may keep one (RFC 6749 §5.1).
fn never_stored(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
