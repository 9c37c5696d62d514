//! The middleware of the browser router.

use super::guard::failed;
use super::same_origin::check_origin;
use crate::core::Core;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{HeaderName, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::Next;
use axum::response::Response;

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Refuses requests from pages of other origins, also those with a method that the path does not allow.
pub(super) async fn same_origin(State(core): State<Core>, request: Request, next: Next) -> Response {
    match check_origin(request.method(), request.uri(), request.headers(), &core.config.browser) {
        Ok(()) => next.run(request).await,
        Err(error) => failed(error),
    }
}

/// The headers of every response of the browser router: pages of other origins cannot embed them.
pub(super) async fn not_embeddable(State(core): State<Core>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let policy = core.config.browser.resource_policy();
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static(policy));
    response
}
