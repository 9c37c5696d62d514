//! What a developer sees on the first day, where the log or the router says it.

use crate::support::logs::OfThisThread;
use crate::support::{App, EMAIL, endpoints_here, forge, memory_users, registration, routers};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::routing::get;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::{AuthModule, testing};
use serde_json::json;
use tower::ServiceExt;
use tracing::Level;

const REFUSED: &str = "a request has no valid credential";

/// The reasons in the log since the last call.
fn reasons(log: &OfThisThread, seen: &mut usize) -> Vec<String> {
    let lines: Vec<_> = log.lines().into_iter().filter(|line| line.contains(REFUSED)).collect();
    let new = lines.get(*seen..).unwrap_or_default().to_vec();
    *seen = lines.len();
    new
}

#[tokio::test]
async fn the_log_says_at_debug_why_a_request_is_unauthenticated_and_never_has_the_token() {
    let log = OfThisThread::record_at(Level::DEBUG);
    let app = App::start().await;
    let tokens = app.register(EMAIL).await;
    let ended = app.login(EMAIL).await;
    app.post("/auth/logout").bearer(&ended.access).await.expect(200);
    let (access, refresh) = (&tokens.access, &tokens.refresh);
    let wrong = [
        (None, "no header `Authorization`"),
        (Some(access.clone()), "not `Bearer` and a token"),
        (Some(format!("Token {access}")), "not `Bearer` and a token"),
        (Some(format!("Bearer {refresh}")), "a refresh token: send the access token"),
        (Some(format!("Bearer {access}x")), "not one that this module has signed"),
        (Some(format!("Bearer {}", ended.access)), "the session has ended"),
    ];
    let mut seen = reasons(&log, &mut 0).len();
    for path in ["/me", "/claims", "/auth/user/confirmed-password-status"] {
        for (value, reason) in &wrong {
            let call = app.get(path);
            let call = value.iter().fold(call, |call, value| call.header("authorization", value));
            call.await.refused(401, "unauthenticated");
            let lines = reasons(&log, &mut seen);
            assert!(lines.len() == 1 && lines[0].contains(reason), "{path}, {reason}: {lines:?}");
        }
    }
    app.advance(901);
    app.me(access).await.refused(401, "unauthenticated");
    let lines = reasons(&log, &mut seen);
    assert!(lines.len() == 1 && lines[0].contains("has expired"), "{lines:?}");
    for token in [access, refresh, &ended.access] {
        assert_eq!(log.lines_with(token), 0);
    }
}

#[tokio::test]
async fn the_log_says_so_of_a_request_without_a_cookie_too() {
    routers::on(RouterKind::Browser, async {
        let log = OfThisThread::record_at(Level::DEBUG);
        let (app, mut seen) = (App::start().await, 0);
        let status = "/auth/user/confirmed-password-status";
        for (path, reason) in [("/me", "neither a session cookie"), (status, "no session cookie")] {
            app.get(path).await.refused(401, "unauthenticated");
            let lines = reasons(&log, &mut seen);
            assert!(lines.len() == 1 && lines[0].contains(reason), "{lines:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn at_the_level_info_the_log_says_nothing_of_it() {
    let log = OfThisThread::record();
    App::start().await.me("x").await.refused(401, "unauthenticated");
    assert_eq!(log.lines_with(REFUSED), 0);
}

#[test]
fn a_browser_router_without_its_feature_is_a_line_in_the_log() {
    let log = OfThisThread::record();
    let lines = || log.lines_with("`browser_router()` without the feature BROWSER_SESSIONS");
    let builder = || AuthModule::builder(testing::config().build().unwrap(), memory_users());
    let (without, with) = (builder().build().unwrap(), builder().browser_sessions().build().unwrap());
    let _: Router = with.browser_router();
    let _: Router = without.router();
    assert_eq!(lines(), 0);
    let _: Router = without.browser_router();
    assert_eq!(lines(), 1);
}

/// The status of a response, its media type and its `Allow`.
async fn send(
    router: &Router,
    method: &str,
    path: &str,
    body: String,
) -> (StatusCode, String, Option<String>) {
    let request =
        Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    let request = request.header("sec-fetch-site", "same-origin").body(Body::from(body)).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let text = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    (response.status(), text(header::CONTENT_TYPE).unwrap_or_default(), text(header::ALLOW))
}

const PROBLEM: &str = "application/problem+json";

#[tokio::test]
async fn the_routers_answer_for_all_that_is_below_them_but_not_for_routes_of_the_host() {
    let app = App::with_everything().await;
    let router: Router = Router::new()
        .nest("/auth", app.auth.router())
        .nest("/web", app.auth.browser_router())
        .route("/auth/{provider}/callback", get(async || "the callback"))
        .fallback(async || "the host's");
    for path in ["/auth", "/auth/none", "/auth/none/at/all", "/auth/login/", "/web", "/web/none"] {
        for method in ["GET", "HEAD", "POST", "DELETE", "OPTIONS"] {
            let (status, kind, _) = send(&router, method, path, String::new()).await;
            assert_eq!((status, &*kind), (StatusCode::NOT_FOUND, PROBLEM), "{method} {path}");
        }
    }
    for own in ["/auth/acme/callback", "/other"] {
        assert_eq!(send(&router, "GET", own, String::new()).await.0, StatusCode::OK, "{own}");
    }
}

#[tokio::test]
async fn without_their_fallback_the_routers_can_be_nested_below_a_parameter() {
    let app = App::with_everything().await;
    let router: Router = Router::new()
        .nest("/{tenant}/auth", app.auth.router().reset_fallback())
        .nest("/{tenant}/web", app.auth.browser_router().reset_fallback())
        .fallback(async || "the host's");
    for (path, email) in [("/acme/auth/register", EMAIL), ("/acme/web/register", "eve@example.com")] {
        let body = registration(email).to_string();
        assert_eq!(send(&router, "POST", path, body).await.0, StatusCode::CREATED, "{path}");
    }
    let (status, kind, allowed) = send(&router, "GET", "/acme/auth/login", String::new()).await;
    assert_eq!((status, &*kind, allowed.as_deref()), (StatusCode::METHOD_NOT_ALLOWED, PROBLEM, Some("POST")));
    for of_the_host in ["/acme/auth/none", "/acme/other"] {
        assert_eq!(send(&router, "GET", of_the_host, String::new()).await.0, StatusCode::OK, "{of_the_host}");
    }
}

/// The parameters of an endpoint are the last ones of the path.
#[tokio::test]
async fn below_a_parameter_of_the_host_an_endpoint_reads_its_own_parameters() {
    let app = App::with_everything().await;
    let (own, other) = (app.confirmed_session(EMAIL).await, app.login(EMAIL).await);
    app.verify_address(EMAIL);
    let router: Router = Router::new().nest("/{tenant}/auth", app.auth.router().reset_fallback());
    let below = async |method: &str, path: &str| {
        let request = Request::builder().method(method).uri(format!("/acme/auth{path}"));
        let request = request.header(header::AUTHORIZATION, format!("Bearer {}", own.access));
        let request =
            request.header(header::CONTENT_TYPE, "application/json").body(Body::from("{}")).unwrap();
        router.clone().oneshot(request).await.unwrap().status().as_u16()
    };
    for endpoint in endpoints_here().into_iter().filter(|endpoint| endpoint.path.contains('{')) {
        let (method, path) = (endpoint.method.as_str(), endpoint.path.replace(['{', '}'], "x"));
        let call = app.request(method.parse().unwrap(), &format!("/auth{path}")).bearer(&own.access);
        let expected = call.json(&json!({})).await.status;
        assert_eq!(below(method, &path).await, expected, "{method} {path}");
    }
    let session = forge::claims(&other.access)["sid"].as_str().unwrap().to_owned();
    assert_eq!(below("DELETE", &format!("/user/sessions/{session}")).await, 200);
    app.is_over(&other).await;
}

/// What axum says of these routers.
fn panic_of(router: impl FnOnce() -> Router) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(router)).expect_err("a panic");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn the_documents_have_what_axum_says_of_routers_that_are_in_each_others_way() {
    let pages = [include_str!("../../../docs/guide/browsers.md"), include_str!("../../../docs/errors.md")];
    let is_told = |text: &str| pages.iter().all(|page| page.contains(text));
    let auth = AuthModule::builder(testing::config().build().unwrap(), memory_users()).browser_sessions();
    let auth = auth.build().unwrap();
    let nested = || Router::new().nest("/auth", auth.router());
    let twice = panic_of(|| nested().nest("/auth", auth.browser_router()));
    let two = ["Overlapping method route", "Cannot merge two `MethodRouter`s that both have a fallback"];
    assert!(two.iter().all(|text| is_told(text)));
    assert!(two.iter().any(|text| twice.contains(text)), "{twice}");
    let tenant = panic_of(|| Router::new().nest("/{tenant}/auth", auth.router()));
    let conflict = "conflict with previously registered route: /{*__private__axum_fallback}";
    assert!(tenant.contains(conflict) && is_told(conflict), "{tenant}");
}
