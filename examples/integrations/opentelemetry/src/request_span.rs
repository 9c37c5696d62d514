//! The span of a request, by OpenTelemetry's semantic conventions for HTTP servers.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::field::Empty;
use tracing::{Instrument, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Serves the request in a span. The spans of everything else that the request does are below it.
pub(crate) async fn in_a_span(request: Request, next: Next) -> Response {
    let span = span(&request);
    // Only a span without this layer has no parent to set: then nothing is exported.
    let _without_opentelemetry = span.set_parent(of_caller(&request));
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status();
    span.record("http.response.status_code", status.as_u16());
    // A refusal such as 401 is the fault of the client: the conventions leave the status of such a span unset.
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
        span.record("error.type", status.as_str());
    }
    response
}

/// The span of the caller, from the header `traceparent` (W3C Trace Context). Without a valid one the request is a trace of its own.
///
/// Anybody can send the header, and so choose the id of the trace and whether it is recorded. If your clients are not to do that, let the proxy
/// in front of the host remove `traceparent` and `tracestate`.
fn of_caller(request: &Request) -> Context {
    let headers = HeaderExtractor(request.headers());
    TraceContextPropagator::new().extract_with_context(&Context::new(), &headers)
}

/// The name is that of the method and the route: `POST /auth/login`.
///
/// The conventions also name `url.path`, `url.query`, `client.address` and `user_agent.original`. They are left out: a path or a query can
/// have ids and signatures in it, and the others are personal data.
fn span(request: &Request) -> Span {
    let method = method(request);
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let name = match (method, route) {
        // Any word is a method in HTTP. A name that clients choose would make any number of names.
        (OTHER, Some(route)) => format!("HTTP {route}"),
        (OTHER, None) => "HTTP".to_owned(),
        (method, Some(route)) => format!("{method} {route}"),
        (method, None) => method.to_owned(),
    };
    tracing::info_span!(
        "request",
        otel.name = name,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        url.scheme = "http",
        "error.type" = Empty,
    )
}

/// What the conventions write in place of a method that they do not know.
const OTHER: &str = "_OTHER";

/// The method, if it is one of RFC 9110 or RFC 5789.
fn method(request: &Request) -> &'static str {
    let known = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "TRACE"];
    let sent = request.method().as_str();
    known.into_iter().find(|method| *method == sent).unwrap_or(OTHER)
}
