//! What surrounds the handler of every route: checks before it, and headers of its response.

use super::Problem;
use super::client_address::client;
use super::cookies::{CookieChanges, Cookies};
use super::credential::{browser_cookies, check};
use super::fields::receive;
use crate::client::{Transport, Visitor};
use crate::core::{Core, Presented};
use crate::endpoint::{Endpoint, RouterKind};
use crate::error::{AuthError, ErrorCode};
use crate::request::RequestContext;
use crate::telemetry::{RequestId, measure, span};
use axum::extract::Request;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::Instrument;

/// The handler of a route.
pub(super) type RouteHandler = Arc<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// A handler with the checks that precede it.
pub(super) struct Guard {
    pub(super) core: Core,
    pub(super) endpoint: Endpoint,
    pub(super) router: RouterKind,
    pub(super) handler: RouteHandler,
}

impl Guard {
    /// Checks the credential and runs the handler. If a provider of the host hangs, the response is 503 after the request
    /// timeout; if it panics, the response is 500. Later requests are not affected.
    pub(super) async fn run(self: Arc<Self>, request: Request) -> Response {
        let (began, id) = (Instant::now(), request_id(request.headers()));
        let (method, path, router) =
            (self.endpoint.method.as_str(), self.endpoint.path, self.router.as_str());
        let span = span::request(method, path, router, id.as_ref().map(RequestId::as_str));
        let visitor = span.in_scope(|| self.visitor(&request));
        let context = RequestContext::new(id, visitor.clone(), self.core.now());
        // Pinned here, because it is large, and each layer around it would move it.
        let response = pin!(self.respond(&visitor, request));
        let response = context.scope(response).instrument(span.clone()).await;
        let code = response.extensions().get::<ErrorCode>().map(|code| code.as_str());
        span.record("status", response.status().as_u16());
        if let Some(code) = code {
            span.record("code", code);
        }
        measure::requests(1, method, path, router, code.unwrap_or("ok"));
        measure::request_time(began.elapsed(), method, path);
        response
    }

    fn visitor(&self, request: &Request) -> Visitor {
        let transport = match self.router {
            RouterKind::Bearer => Transport::Tokens,
            RouterKind::Browser => Transport::Cookies(browser_cookies(&self.core, request.headers())),
        };
        Visitor::new(client(&self.core, request.extensions(), request.headers()), transport)
    }

    async fn respond(&self, visitor: &Visitor, request: Request) -> Response {
        let Self { core, endpoint, router, handler } = self;
        let run = AssertUnwindSafe(async {
            match received(core, (endpoint, *router), visitor, request).await {
                Ok(request) => handler(request).await,
                Err(problem) => problem.into_response(),
            }
        });
        let run = pin!(Some(run.catch_unwind()));
        let response = match within(core.config.request_timeout, run).await {
            Some(Ok(response)) => response,
            Some(Err(_panic)) => {
                failed(AuthError::internal("a handler or one of the host's providers panicked"))
            }
            None => failed(AuthError::Unavailable("the request took longer than request_timeout".into())),
        };
        no_store(with_cookies(core, visitor, response))
    }
}

/// The request with its whole body, if its credential is valid. A body can arrive long after the head, and the session can end in
/// between, so the credential is then checked again (specification §6.4).
async fn received(
    core: &Core,
    (endpoint, router): (&Endpoint, RouterKind),
    visitor: &Visitor,
    mut request: Request,
) -> Result<Request, Problem> {
    check(core, (endpoint, router), visitor, &mut request).await?;
    let (mut request, was_late) = receive(request, endpoint.body, core.config.body_limit).await?;
    if was_late {
        check(core, (endpoint, router), visitor, &mut request).await?;
    }
    if endpoint.asks_policy {
        core.policy.allows_request(endpoint, visitor.address(), request.headers()).await?;
    }
    Ok(request)
}

/// The response, or `None` on timeout. A timeout does not count as a failed attempt.
///
/// It gets a pointer to the future, because an `async fn` keeps a second copy of a future that it is given.
async fn within<F: Future>(time: Duration, mut run: Pin<&mut Option<F>>) -> Option<F::Output> {
    let outcome = tokio::time::timeout(time, run.as_mut().as_pin_mut()?).await.ok();
    if outcome.is_none() {
        RequestContext::timed_out(|| run.set(None));
    }
    outcome
}

/// The id that a proxy or a layer of the host has given to the request.
fn request_id(headers: &HeaderMap) -> Option<RequestId> {
    RequestId::parse(headers.get("x-request-id")?.as_bytes())
}

pub(super) fn failed(error: AuthError) -> Response {
    Problem::from(error).into_response()
}

/// Responses contain tokens and secrets, so caches must not store them (RFC 6749 §5.1).
fn no_store(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Sets and expires the cookies of the browser.
///
/// A session cookie is expired after a 401 only if this module has not issued it, or if it has expired. One that was
/// replaced, or whose session has ended, may belong to a request that was on its way while the browser received its
/// successor: expiring it would delete the successor.
fn with_cookies(core: &Core, visitor: &Visitor, mut response: Response) -> Response {
    let Some(sent) = visitor.transport.cookies() else { return response };
    let mut changes = response.extensions_mut().remove::<CookieChanges>().unwrap_or_default();
    let refused =
        response.status() == StatusCode::UNAUTHORIZED || response.extensions().get::<LoggedOut>().is_some();
    let is_useless = |value: &str| !core.is_genuine(Presented::SessionCookie(value));
    if refused && sent.session.as_deref().is_some_and(is_useless) {
        changes = changes.expire_session();
    }
    Cookies(&core.config.browser).apply(changes.after(sent), response.headers_mut());
    response
}

/// Marks a successful response to a request without a valid session.
#[derive(Clone, Copy)]
pub(crate) struct LoggedOut;
