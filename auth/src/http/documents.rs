//! The documents below `/.well-known/` of the host's root (RFC 8615).

use super::routes::method_not_allowed;
use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;

/// A document that changes only with the configuration.
#[derive(Clone)]
pub(crate) struct Document {
    path: &'static str,
    /// Nothing if it could not be written, which no value of this library causes.
    body: Bytes,
}

impl Document {
    /// A JSON document.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone have one"))]
    pub(crate) fn json(path: &'static str, body: &impl Serialize) -> Self {
        Self { path, body: serde_json::to_vec(body).unwrap_or_default().into() }
    }
}

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

/// A router of the documents, for the host's root.
pub(crate) fn documents(all: &[Document]) -> Router {
    all.iter().cloned().fold(Router::new(), |router, document| {
        let path = document.path;
        router.route(path, get(async move || document.clone()).fallback(method_not_allowed))
    })
}
