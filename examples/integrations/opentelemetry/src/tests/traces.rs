//! The trace of a request.

use super::recording::{ADA, Host, PASSWORD, attribute, id, trace};
use axum::http::Method;
use opentelemetry::trace::{SpanKind, Status};
use opentelemetry::{SpanId, TraceId};
use serde_json::json;

const CALLER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[tokio::test]
async fn a_login_continues_the_trace_of_its_caller_and_has_the_modules_spans_below() {
    let host = Host::start().await;
    host.register().await;
    host.spans().await;
    let login = json!({ "email": ADA, "password": PASSWORD });
    host.client.post("/auth/login").header("traceparent", CALLER).json(&login).await.expect(200);
    let spans = host.spans().await;
    let request = spans.only("POST /auth/login");
    assert_eq!(trace(request), TraceId::from_hex("0af7651916cd43dd8448eb211c80319c").unwrap());
    assert_eq!(request.parent_span_id, SpanId::from_hex("b7ad6b7169203331").unwrap());
    assert!(request.parent_span_is_remote && request.span_kind == SpanKind::Server);
    let [method, route, status] = ["http.request.method", "http.route", "http.response.status_code"]
        .map(|name| attribute(request, name));
    assert_eq!((&*method, &*route, &*status), ("POST", "/auth/login", "200"));
    let library = spans.only("auth.request");
    assert_eq!(library.parent_span_id, id(request));
    assert_eq!(attribute(library, "path"), "/login");
    let calls: Vec<_> =
        spans.named("auth.provider").into_iter().map(|span| attribute(span, "method")).collect();
    for call in ["users.find_by_field", "sessions.create"] {
        assert!(calls.iter().any(|found| found == call), "no {call} in {calls:?}");
    }
    assert!(!spans.named("auth.password").is_empty());
    for span in spans.0.iter().filter(|span| id(span) != id(request)) {
        assert!(spans.is_below(span, request), "{} is not below the request", span.name);
    }
}

#[tokio::test]
async fn a_request_without_a_caller_is_the_root_of_its_own_trace() {
    let host = Host::start().await;
    for traceparent in
        [None, Some("00-00000000000000000000000000000000-b7ad6b7169203331-01"), Some("nonsense")]
    {
        let call = host.client.get("/me");
        let call = match traceparent {
            Some(traceparent) => call.header("traceparent", traceparent),
            None => call,
        };
        call.await.expect(401);
    }
    let spans = host.spans().await;
    let requests = spans.named("GET /me");
    let traces: std::collections::HashSet<_> = requests.iter().map(|span| trace(span)).collect();
    assert_eq!((requests.len(), traces.len()), (3, 3));
    for request in requests {
        assert_eq!(request.parent_span_id, SpanId::INVALID);
        // A refusal is no error of the server.
        assert_eq!(
            (attribute(request, "http.response.status_code").as_str(), &request.status),
            ("401", &Status::Unset)
        );
    }
}

#[tokio::test]
async fn a_caller_who_does_not_record_decides_for_this_host_as_well() {
    let host = Host::start().await;
    let unsampled = CALLER.replace("-01", "-00");
    host.client.get("/me").header("traceparent", &unsampled).await.expect(401);
    assert_eq!(host.spans().await.names(), Vec::<&str>::new());
}

#[tokio::test]
async fn a_name_has_nothing_that_a_client_chooses() {
    let host = Host::start().await;
    host.client.get("/no/such/page?email=ada@example.com").await.expect(404);
    host.client.request(Method::from_bytes(b"FROBNICATE").unwrap(), "/me").await.expect(405);
    let spans = host.spans().await;
    assert_eq!(attribute(spans.only("GET"), "http.route"), "");
    assert_eq!(attribute(spans.only("HTTP /me"), "http.request.method"), "_OTHER");
}

#[tokio::test]
async fn a_failure_of_the_server_is_an_error_of_the_span() {
    let host = Host::start().await;
    sqlx::query("DROP TABLE users").execute(&host.pool).await.unwrap();
    let login = json!({ "email": ADA, "password": PASSWORD });
    host.client.post("/auth/login").json(&login).await.expect(500);
    let spans = host.spans().await;
    let request = spans.only("POST /auth/login");
    assert!(matches!(request.status, Status::Error { .. }));
    assert_eq!(attribute(request, "error.type"), "500");
    let calls = spans.named("auth.provider");
    assert!(calls.iter().any(|span| attribute(span, "outcome") == "error"), "{:?}", spans.names());
}

#[tokio::test]
async fn work_in_the_background_is_in_the_trace_of_the_request_that_has_started_it() {
    let host = Host::start().await;
    host.register().await;
    host.spans().await;
    host.client.post("/auth/forgot-password").json(&json!({ "email": ADA })).await.expect(200);
    host.outbox.next_reset(ADA).await;
    let spans = host.spans().await;
    let request = spans.only("POST /auth/forgot-password");
    let background = spans.named("auth.background");
    assert!(!background.is_empty());
    for work in background {
        assert!(spans.is_below(work, request));
        let followed: Vec<_> = work.links.iter().map(|link| link.span_context.span_id()).collect();
        assert_eq!(followed, [work.parent_span_id]);
    }
    let deliveries = spans.named("auth.provider");
    assert!(
        deliveries.iter().any(|span| attribute(span, "method").starts_with("delivery")),
        "{:?}",
        spans.names()
    );
}
