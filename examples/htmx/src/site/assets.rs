//! The files of the site, and the headers of every response.

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Where the script is served.
pub(crate) const SCRIPT: &str = "/htmx.min.js";

/// How htmx works on this site, in `<meta name="htmx-config">`.
///
/// * `allowEval`, `allowScriptTags`, `includeIndicatorStyles`: the policy below forbids what they would do.
/// * `selfRequestsOnly`: htmx sends nothing to other origins.
/// * `historyCacheSize`: pages of users are not kept in the browser's storage, where they would outlive the session.
/// * `historyRestoreAsHxRequest`: the browser's history consists of documents, not of parts.
/// * `responseHandling`: by default htmx shows no response with a status of 400 or more. A form that is shown again has 422 or 429. Every
///   other error, also one of a proxy, is put into `#problem`.
pub(super) const CONFIG: &str = r##"{
    "allowEval": false,
    "allowScriptTags": false,
    "includeIndicatorStyles": false,
    "selfRequestsOnly": true,
    "historyCacheSize": 0,
    "historyRestoreAsHxRequest": false,
    "responseHandling": [
        {"code": "204", "swap": false},
        {"code": "[23]..", "swap": true},
        {"code": "422|429", "swap": true},
        {"code": "...", "swap": true, "error": true, "target": "#problem", "swapOverride": "innerHTML", "ignoreTitle": true}
    ]
}"##;

/// Nothing is allowed that the site does not need: scripts and styles from files of this site alone, and none in a page. `data:` is for
/// the QR code.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; \
                      base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

const HEADERS: [(HeaderName, &str); 3] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // Not `no-referrer`: with it, browsers send `Origin: null`, and where they send no `Sec-Fetch-Site` either, as over plain HTTP, no
    // form would be accepted.
    (REFERRER_POLICY, "same-origin"),
];

/// The middleware that adds the headers.
pub(crate) async fn security_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// `GET /style.css`
pub(crate) async fn style() -> impl IntoResponse {
    let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "max-age=300")];
    (headers, include_str!("style.css"))
}

/// htmx, if it is installed.
#[derive(Clone, Default)]
pub(crate) struct HtmxFile(Option<Bytes>);

impl HtmxFile {
    /// Without the file the pages have no script, and their forms are sent by the browser.
    pub(crate) fn read(path: &str) -> Self {
        let file = std::fs::read(path);
        if let Err(error) = &file {
            tracing::warn!(path, %error, "htmx is missing, so the forms are plain ones: `npm install` in examples/htmx");
        }
        Self(file.ok().map(Bytes::from))
    }

    pub(super) const fn is_there(&self) -> bool {
        self.0.is_some()
    }
}

/// `GET /htmx.min.js`
pub(crate) async fn script(State(HtmxFile(file)): State<HtmxFile>) -> Response {
    let headers = [(CONTENT_TYPE, "text/javascript; charset=utf-8"), (CACHE_CONTROL, "max-age=3600")];
    match file {
        Some(file) => (headers, file).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
