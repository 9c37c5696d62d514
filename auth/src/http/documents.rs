//! The documents below `/.well-known/` of the host's root (RFC 8615).

use super::routes::method_not_allowed;
use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderValue;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;

/// A document that changes only with the configuration.
#[derive(Clone)]
pub(crate) struct Document {
    path: &'static str,
    kind: Kind,
    /// Nothing if it could not be written, which no value of this library causes.
    body: Bytes,
}

#[derive(Clone, Copy)]
enum Kind {
    Json,
    /// A set of public keys, which other services keep for five minutes, and which scripts of every page may read (RFC 7517 §8.5).
    PublicKeys,
}

impl Document {
    /// A JSON document.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone have one"))]
    pub(crate) fn json(path: &'static str, body: &impl Serialize) -> Self {
        Self::of(path, Kind::Json, body)
    }

    /// A JSON Web Key Set.
    #[cfg_attr(not(feature = "service-tokens"), allow(dead_code, reason = "service tokens alone have one"))]
    pub(crate) fn public_keys(path: &'static str, body: &impl Serialize) -> Self {
        Self::of(path, Kind::PublicKeys, body)
    }

    fn of(path: &'static str, kind: Kind, body: &impl Serialize) -> Self {
        Self { path, kind, body: serde_json::to_vec(body).unwrap_or_default().into() }
    }
}

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        let Self { kind, body, .. } = self;
        let mut response = body.into_response();
        let headers: &[_] = match kind {
            Kind::Json => &[(CONTENT_TYPE, "application/json")],
            Kind::PublicKeys => &[
                (CONTENT_TYPE, "application/jwk-set+json"),
                (CACHE_CONTROL, "public, max-age=300"),
                (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
            ],
        };
        for (name, value) in headers {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
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
