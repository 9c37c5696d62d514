//! The origin check (specification §27.4): which requests it lets through, and where it stands among the other checks.

mod matrix;

use super::browser::{Browser, SESSION};
use super::host;
use crate::support::{App, Call, EMAIL, PASSWORD};
use axum_auth_module::StandardActions;
use axum_auth_module::config::BrowserOptions;
use reqwest::Method;
use serde_json::json;

/// A request from a page of another site.
fn from_evil(call: Call) -> Call {
    call.header("sec-fetch-site", "cross-site").header("origin", "https://evil.example")
}

#[tokio::test]
async fn an_unknown_path_is_404_before_the_check_and_another_method_is_405_after_it() {
    let app = host::start().await;
    for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
        for path in ["/web/auth/nothing", "/web/auth/user/nothing", "/web/auth/refresh", "/web/auth"] {
            from_evil(app.request(method.clone(), path)).await.refused(404, "not_found");
        }
    }
    for (method, path) in [(Method::DELETE, "/web/auth/login"), (Method::POST, "/web/auth/session")] {
        from_evil(app.request(method.clone(), path)).await.refused(403, "cross_origin_request");
        let own = app.request(method, path).header("sec-fetch-site", "same-origin");
        own.await.refused(405, "method_not_allowed");
    }
    // Before the credential, the content type, the size and the syntax of the body.
    let login = || from_evil(app.post("/web/auth/login"));
    login().await.refused(403, "cross_origin_request");
    login().body("text/plain", "x").await.refused(403, "cross_origin_request");
    login().body("application/json", "{").await.refused(403, "cross_origin_request");
    login().body("application/json", "x".repeat(2 << 20)).await.refused(403, "cross_origin_request");
    from_evil(app.put("/web/auth/user/password")).await.refused(403, "cross_origin_request");
}

#[tokio::test]
async fn without_the_feature_everything_is_404_and_cookies_are_ignored() {
    let cookie = {
        let browser = Browser::new(&host::start().await);
        browser.register(EMAIL).await;
        browser.session()
    };
    let app = App::with(|config| config, |module| module.registration(StandardActions)).await;
    let app = host::with_pages(app).await;
    let pair = format!("{SESSION}={cookie}");
    for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
        for path in ["/web/auth/session", "/web/auth/login", "/web/auth/logout", "/web/auth/x"] {
            let call = || app.request(method.clone(), path).header("cookie", &pair);
            from_evil(call()).await.refused(404, "not_found");
            call().header("sec-fetch-site", "same-origin").await.refused(404, "not_found");
        }
        // No check of the origin: without the feature there is no cookie.
        for path in ["/me", "/claims", "/verified", "/confirmed"] {
            let call = app.request(method.clone(), path).header("cookie", &pair);
            from_evil(call).await.refused(401, "unauthenticated");
        }
        let call = app.request(method.clone(), "/optional").header("cookie", &pair);
        assert_eq!(from_evil(call).await.expect(200).text, "nobody");
        from_evil(app.request(method, "/browser")).await.refused(404, "not_found");
    }
    app.post("/form/login").header("sec-fetch-site", "same-origin").await.refused(404, "not_found");
}

#[tokio::test]
async fn a_refusal_counts_towards_no_limit_and_emits_no_event() {
    let app = host::start_with(|config| config).await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let cookie = browser.cookie_header().unwrap();
    let wrong = json!({ "email": EMAIL, "password": "wrong" });
    for _ in 0..100 {
        for path in ["/web/auth/login", "/form/login"] {
            from_evil(app.post(path)).json(&wrong).await.refused(403, "cross_origin_request");
        }
        for path in ["/web/auth/user/confirm-password", "/form/confirm_password"] {
            let call = from_evil(app.post(path)).header("cookie", &cookie).json(&wrong);
            call.await.refused(403, "cross_origin_request");
        }
        let forgotten = from_evil(app.post("/web/auth/forgot-password")).json(&wrong);
        forgotten.await.refused(403, "cross_origin_request");
    }
    browser.log_in(EMAIL).await;
    browser.confirm().await;
    browser.post("/web/auth/forgot-password", &json!({ "email": EMAIL })).await.expect(200);
    // The events of the requests that were not refused, and no other in between.
    assert_eq!(app.event_names().await, ["auth.registered", "auth.session-ended", "auth.login"]);
    browser.log_out().await;
    assert_eq!(app.event_names().await, ["auth.logout"]);
}

/// Hosts and ports of the request, and origins: whether they are the same.
#[tokio::test]
async fn the_host_and_port_of_the_origin_must_be_those_of_the_request() {
    let app = host::start().await;
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    for (host, origin, is_same) in [
        ("app.example.test", "https://app.example.test", true),
        ("app.example.test", "http://app.example.test", true),
        ("app.example.test", "https://app.example.test:443", true),
        ("app.example.test", "http://app.example.test:80", true),
        ("app.example.test:443", "https://app.example.test", true),
        ("app.example.test:80", "http://app.example.test", true),
        ("App.Example.TEST:80", "http://app.example.test", true),
        ("app.example.test:443", "http://app.example.test", false),
        // A missing port is the one of the origin's scheme.
        ("app.example.test", "https://app.example.test:80", false),
        ("app.example.test:80", "https://app.example.test", false),
        ("app.example.test", "https://app.example.test:8443", false),
        ("app.example.test", "https://example.test", false),
        ("example.test", "https://app.example.test", false),
        ("app.example.test", "https://app.example.test.evil.example", false),
        ("app.example.test", "https://evilapp.example.test", false),
        ("xn--bcher-kva.example", "https://xn--bcher-kva.example", true),
        ("xn--bcher-kva.example", "https://bücher.example", false),
        ("[2001:db8::1]:3000", "http://[2001:db8::1]:3000", true),
        ("[2001:db8::1]:3000", "http://[2001:db8::2]:3000", false),
        ("[2001:db8::1]", "https://[2001:db8::1]", true),
        ("192.0.2.1:3000", "http://192.0.2.1:3000", true),
        ("192.0.2.1:3000", "http://192.0.2.10:3000", false),
        ("app.example.test", "https://app.example.test/", false),
        ("app.example.test", "app.example.test", false),
        ("app.example.test", "file://app.example.test", false),
        ("app.example.test", "https://app.example.test https://app.example.test", false),
        ("app.example.test", "https://app.example.test, https://evil.example", false),
        ("app.example.test", " ", false),
    ] {
        let call = app.post("/web/auth/login").header("host", host);
        let answer = call.header_bytes("origin", origin.as_bytes()).json(&body).await;
        let expected = if is_same { 401 } else { 403 };
        assert_eq!(answer.status, expected, "{host} {origin}: {}", answer.text);
        app.advance(61);
    }
}

#[tokio::test]
async fn a_request_with_two_hosts_or_none_is_not_from_its_own_origin() {
    let app = host::start().await;
    let origin = "https://app.example.test";
    let call = || app.post("/web/auth/login").header("origin", origin);
    let both = call().header("host", "app.example.test").header("host", "app.example.test");
    both.await.refused(403, "cross_origin_request");
    call().header("host", "").await.refused(403, "cross_origin_request");
}

#[tokio::test]
async fn a_listed_origin_is_allowed_exactly_as_it_is_listed() {
    let options =
        BrowserOptions::default().allowed_origins(["https://front.example.test", "http://localhost:5173"]);
    let app = host::start_with(|config| config.browser(options)).await;
    for (origin, is_listed) in [
        ("https://front.example.test", true),
        ("https://front.example.test:443", true),
        ("https://Front.Example.Test", true),
        ("http://localhost:5173", true),
        ("http://front.example.test", false),
        ("https://front.example.test:8443", false),
        ("https://front.example.test.", false),
        ("https://a.front.example.test", false),
        ("https://example.test", false),
        ("http://localhost", false),
        ("https://localhost:5173", false),
        ("null", false),
        ("*", false),
    ] {
        for site in [Some("same-site"), Some("cross-site"), None] {
            let call = app.post("/web/auth/login").header("origin", origin);
            let call = if let Some(site) = site { call.header("sec-fetch-site", site) } else { call };
            let answer = call.await;
            let expected = if is_listed { 415 } else { 403 };
            assert_eq!(answer.status, expected, "{site:?} {origin}: {}", answer.text);
            assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-site"));
        }
    }
}

#[tokio::test]
async fn every_response_says_that_pages_of_other_origins_cannot_embed_it() {
    let app = host::start().await;
    for (call, status) in [
        (app.get("/web/auth/session"), 200),
        (app.get("/web/auth/user/sessions"), 401),
        (from_evil(app.post("/web/auth/login")), 403),
        (app.get("/web/auth/nothing"), 404),
        (app.get("/web/auth/login"), 405),
        (app.post("/web/auth/login").header("sec-fetch-site", "none"), 415),
    ] {
        let answer = call.await.expect(status);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{status}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"), "{status}");
    }
    let bearer = app.get("/auth/user/sessions").await.expect(401);
    assert_eq!(bearer.header("cross-origin-resource-policy"), None);
}
