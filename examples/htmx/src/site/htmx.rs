//! What differs when htmx has sent the request. [`respond`] surrounds all handlers, which answer as if there was no htmx:
//!
//! | a handler answers with | a browser gets | htmx gets |
//! |---|---|---|
//! | a [`Page`] | the document | its part, which htmx puts in place of the part that is shown |
//! | a [`Page`] that something was changed for | a redirect to the page | the part |
//! | a redirect | a redirect | 204 with `HX-Redirect`: the browser opens the page |
//! | an error that another page can end: no session, no recent confirmation | a redirect to the page | the status of the error, with `HX-Redirect` |
//! | another error | a document with an explanation | the explanation, for `#problem` in the layout |
//!
//! An XMLHttpRequest follows a redirect itself, and htmx would put the login page into the middle of the page that is open. So no response
//! to htmx is a redirect. `HX-Redirect` and not `HX-Location`: after a login the whole document is another one.
//!
//! `next` is the page to come back to: for a browser the address of the request, for htmx that of the page which is open
//! (`HX-Current-URL`). Of a URL in a header only the path is taken, so `next` never leads to another origin.

use super::errors::{explanation, page_against};
use super::page::InPage;
use super::{HOME, HtmxFile, Next, Page};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use axum::http::response::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next as Inner;
use axum::response::{IntoResponse, Response};
use axum_auth_module::error::ErrorCode;
use maud::Markup;

const HX_REQUEST: HeaderName = HeaderName::from_static("hx-request");
const HX_CURRENT_URL: HeaderName = HeaderName::from_static("hx-current-url");
const HX_REDIRECT: HeaderName = HeaderName::from_static("hx-redirect");
const HX_RETARGET: HeaderName = HeaderName::from_static("hx-retarget");
const HX_RESWAP: HeaderName = HeaderName::from_static("hx-reswap");

/// Who has sent a request.
#[derive(Clone, Copy, PartialEq)]
enum Sender {
    /// The browser, which shows the response as a page.
    Browser,
    /// htmx, which puts the response into the page that is open.
    Htmx,
}

impl Sender {
    fn of(headers: &HeaderMap) -> Self {
        match headers.get(HX_REQUEST) {
            Some(value) if value == "true" => Self::Htmx,
            _ => Self::Browser,
        }
    }

    /// Leads the visitor to another page.
    fn lead(self, parts: &mut Parts, to: HeaderValue) {
        match self {
            Self::Browser => {
                parts.status = StatusCode::SEE_OTHER;
                parts.headers.remove(WWW_AUTHENTICATE);
                parts.headers.insert(LOCATION, to);
            }
            Self::Htmx => {
                // The status of an error stays.
                if parts.status.is_success() || parts.status.is_redirection() {
                    parts.status = StatusCode::NO_CONTENT;
                }
                parts.headers.remove(LOCATION);
                parts.headers.insert(HX_REDIRECT, to);
            }
        }
    }

    fn render(self, parts: &mut Parts, page: &Page, has_htmx: bool) -> Markup {
        match self {
            Self::Browser => page.document(has_htmx),
            Self::Htmx if page.is_problem() => {
                parts.headers.insert(HX_RETARGET, HeaderValue::from_static("#problem"));
                parts.headers.insert(HX_RESWAP, HeaderValue::from_static("innerHTML"));
                page.part().clone()
            }
            Self::Htmx => page.part_without_problem(),
        }
    }
}

/// The middleware.
pub(crate) async fn respond(State(htmx): State<HtmxFile>, request: Request, inner: Inner) -> Response {
    let sender = Sender::of(request.headers());
    let next = page_to_come_back_to(&request, sender);
    let (mut parts, body) = inner.run(request).await.into_parts();
    let body = match answer(&mut parts, sender, &next) {
        Answer::Lead(to) => {
            drop_body(&mut parts);
            sender.lead(&mut parts, to);
            Body::empty()
        }
        Answer::Show(page) => {
            drop_body(&mut parts);
            let html = HeaderValue::from_static("text/html; charset=utf-8");
            parts.headers.insert(CONTENT_TYPE, html);
            Body::from(sender.render(&mut parts, &page, htmx.is_there()).into_string())
        }
        Answer::AsItIs => body,
    };
    // A page is the visitor's own, and its address has a document for browsers and a part for htmx.
    parts.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    parts.headers.append(VARY, HeaderValue::from_static("HX-Request"));
    Response::from_parts(parts, body)
}

/// What becomes of a handler's response.
enum Answer {
    Lead(HeaderValue),
    Show(Box<Page>),
    AsItIs,
}

fn answer(parts: &mut Parts, sender: Sender, next: &Next) -> Answer {
    if let Some(InPage(page)) = parts.extensions.remove() {
        return match page.changed_at() {
            Some(address) if sender == Sender::Browser => lead(address),
            _ => Answer::Show(page),
        };
    }
    if let Some(location) = parts.headers.get(LOCATION).filter(|_| parts.status.is_redirection()) {
        return Answer::Lead(location.clone());
    }
    if !parts.status.is_client_error() && !parts.status.is_server_error() {
        return Answer::AsItIs;
    }
    // Only the module's errors have a code.
    let code: Option<ErrorCode> = parts.extensions.get().copied();
    match code.and_then(|code| page_against(code, next)) {
        Some(address) => lead(&address),
        None => Answer::Show(Box::new(explanation(parts.status, code, &parts.headers))),
    }
}

fn lead(address: &str) -> Answer {
    // Every address is ASCII: `next_path` and percent-encoding see to it.
    Answer::Lead(HeaderValue::try_from(address).unwrap_or(HeaderValue::from_static(HOME)))
}

/// The page to come back to. A form is not sent again: its page is shown, which has the path of the form in this site.
fn page_to_come_back_to(request: &Request, sender: Sender) -> Next {
    let open = open_page(request.headers()).filter(|_| sender == Sender::Htmx);
    let path = match (&open, request.method()) {
        (Some(open), _) => open.path_and_query().map(PathAndQuery::as_str),
        (None, &Method::GET) => request.uri().path_and_query().map(PathAndQuery::as_str),
        (None, _) => Some(request.uri().path()),
    };
    Next::to(path.unwrap_or_default())
}

/// The URL of the page that is open, as htmx sends it.
fn open_page(headers: &HeaderMap) -> Option<Uri> {
    headers.get(HX_CURRENT_URL)?.to_str().ok()?.parse().ok()
}

/// The response gets another body, or none.
fn drop_body(parts: &mut Parts) {
    parts.headers.remove(CONTENT_TYPE);
    parts.headers.remove(CONTENT_LENGTH);
}

impl IntoResponse for Page {
    /// [`respond`] makes the body.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Some(retry_after) = self.retry_after() {
            response.headers_mut().insert(RETRY_AFTER, retry_after.into());
        }
        response.extensions_mut().insert(InPage(Box::new(self)));
        response
    }
}
