//! The page and its files, compiled in.

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// The page runs scripts and styles of this host only, and none in its markup: text that a user has written cannot become
/// a script. `data:` is for the QR code. Other pages cannot embed it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    // The browser asks each time, so an old script never runs with a new page.
    (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
];

macro_rules! files {
    ($($path:literal $file:literal $content_type:literal,)*) => {
        pub(crate) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
            Router::new()$(.route($path, get(async || file($content_type, include_str!(concat!("../web/", $file))))))*
        }
    };
}

files! {
    "/" "index.html" "text/html; charset=utf-8",
    "/style.css" "style.css" "text/css; charset=utf-8",
    "/icon.svg" "icon.svg" "image/svg+xml",
    "/callback/{provider}" "index.html" "text/html; charset=utf-8",
    "/client/index.js" "../../client/dist/index.js" "text/javascript; charset=utf-8",
    "/client/client.js" "../../client/dist/client.js" "text/javascript; charset=utf-8",
    "/client/errors.js" "../../client/dist/errors.js" "text/javascript; charset=utf-8",
    "/client/mails.js" "../../client/dist/mails.js" "text/javascript; charset=utf-8",
    "/client/passkeys.js" "../../client/dist/passkeys.js" "text/javascript; charset=utf-8",
    "/client/providers.js" "../../client/dist/providers.js" "text/javascript; charset=utf-8",
    "/client/routes.js" "../../client/dist/routes.js" "text/javascript; charset=utf-8",
    "/client/session.js" "../../client/dist/session.js" "text/javascript; charset=utf-8",
    "/app.js" "app.js" "text/javascript; charset=utf-8",
    "/forms.js" "forms.js" "text/javascript; charset=utf-8",
    "/providers.js" "providers.js" "text/javascript; charset=utf-8",
    "/requests.js" "requests.js" "text/javascript; charset=utf-8",
    "/state.js" "state.js" "text/javascript; charset=utf-8",
    "/views.js" "views.js" "text/javascript; charset=utf-8",
}

fn file(content_type: &'static str, content: &'static str) -> Response {
    (HEADERS, [(CONTENT_TYPE, content_type)], content).into_response()
}
