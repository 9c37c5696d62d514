//! The page at `/`: a front end for everything that the module does, and the page of its routes. Their files are part of the
//! program.

use crate::outbox::{self, Outbox};
use axum::http::HeaderValue;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::openapi::Document;
use serde::Serialize;
use serde_json::Value;

/// The files: path, content type and text.
macro_rules! files {
    ($($path:literal $kind:ident $file:literal)*) => {
        &[$(($path, $kind, include_str!(concat!("../page/", $file)))),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

const FILES: &[(&str, &str, &str)] = files! {
    "/" HTML "index.html"
    "/page/style.css" CSS "style.css"
    "/page/icon.svg" SVG "icon.svg"
    "/page/api.js" JAVASCRIPT "api.js"
    "/page/app.js" JAVASCRIPT "app.js"
    "/page/copy.js" JAVASCRIPT "copy.js"
    "/page/curl.js" JAVASCRIPT "curl.js"
    "/page/dialogs.js" JAVASCRIPT "dialogs.js"
    "/page/forms.js" JAVASCRIPT "forms.js"
    "/page/json.js" JAVASCRIPT "json.js"
    "/page/language.js" JAVASCRIPT "language.js"
    "/page/mail.js" JAVASCRIPT "mail.js"
    "/page/openapi.html" HTML "openapi.html"
    "/page/openapi.css" CSS "openapi.css"
    "/page/openapi.js" JAVASCRIPT "openapi.js"
    "/page/passkeys.js" JAVASCRIPT "passkeys.js"
    "/page/passwords.js" JAVASCRIPT "passwords.js"
    "/page/providers.js" JAVASCRIPT "providers.js"
    "/page/router.js" JAVASCRIPT "router.js"
    "/page/schema.js" JAVASCRIPT "schema.js"
    "/page/session.js" JAVASCRIPT "session.js"
    "/page/wire.js" JAVASCRIPT "wire.js"
    "/page/views/address.js" JAVASCRIPT "views/address.js"
    "/page/views/api-tokens.js" JAVASCRIPT "views/api-tokens.js"
    "/page/views/by-mail.js" JAVASCRIPT "views/by-mail.js"
    "/page/views/deletion.js" JAVASCRIPT "views/deletion.js"
    "/page/views/lock-down.js" JAVASCRIPT "views/lock-down.js"
    "/page/views/login.js" JAVASCRIPT "views/login.js"
    "/page/views/outbox.js" JAVASCRIPT "views/outbox.js"
    "/page/views/passkeys.js" JAVASCRIPT "views/passkeys.js"
    "/page/views/password.js" JAVASCRIPT "views/password.js"
    "/page/views/profile.js" JAVASCRIPT "views/profile.js"
    "/page/views/providers.js" JAVASCRIPT "views/providers.js"
    "/page/views/recovery.js" JAVASCRIPT "views/recovery.js"
    "/page/views/safe.js" JAVASCRIPT "views/safe.js"
    "/page/views/sessions.js" JAVASCRIPT "views/sessions.js"
    "/page/views/trusted-devices.js" JAVASCRIPT "views/trusted-devices.js"
    "/page/views/two-factor.js" JAVASCRIPT "views/two-factor.js"
};

/// The page loads its own files and nothing else: no inline script, no style attribute, no other host. Its scripts send the
/// forms, so the browser itself need not. With `trusted-types`, no script can turn text into HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// What the page has to know before its first request to the module.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    features: Vec<&'static str>,
    outbox: bool,
    /// Where links in mails lead to, and where providers send people back to.
    address: String,
    password_min_characters: Option<u64>,
}

/// The routes of the page, and the module's OpenAPI document. The outbox is there only in development.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    features: FeatureSet,
    openapi: Document,
    outbox: Option<Outbox>,
    address: String,
) -> Router<S> {
    let openapi = Value::from(openapi);
    let settings = Settings {
        features: features.iter().map(Feature::value).collect(),
        outbox: outbox.is_some(),
        address,
        password_min_characters: password_min_characters(&openapi),
    };
    let mut router = Router::new()
        .route("/page/settings.json", get(async || Json(settings)))
        .route("/openapi.json", get(async || Json(openapi)));
    for (path, kind, text) in FILES {
        router = router.route(path, get(async || ([(CONTENT_TYPE, *kind)], *text)));
    }
    if let Some(outbox) = outbox {
        router = router.route("/outbox", get(outbox::newest).with_state(outbox));
    }
    router.layer(map_response(with_headers))
}

/// The least length of a new password: the document says it where a password must be repeated. `None` if no route takes one.
fn password_min_characters(openapi: &Value) -> Option<u64> {
    let schemas = openapi.pointer("/components/schemas")?.as_object()?.values();
    let mut bodies = schemas.filter_map(|schema| schema.get("properties"));
    let body = bodies.find(|properties| properties.get("passwordConfirmation").is_some())?;
    body.pointer("/password/minLength")?.as_u64()
}

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
