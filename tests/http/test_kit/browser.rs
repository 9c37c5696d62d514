//! The browser, and the client that keeps tokens.

use super::Host;
use crate::support::{EMAIL, PASSWORD};
use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::routing::{any, get};
use axum_auth_module::config::{BrowserOptions, RateLimit, RateLimits};
use axum_auth_module::testing::{Browser, Client, login_as};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns the headers of the request as JSON.
async fn echo(headers: HeaderMap) -> axum::Json<BTreeMap<String, String>> {
    let pair = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        (name.to_string(), value.to_str().unwrap().to_owned())
    };
    axum::Json(headers.iter().map(pair).collect())
}

#[tokio::test]
async fn a_browser_registers_logs_in_and_logs_out() {
    let host = Host::start();
    let browser = host.browser();
    let ada = crate::support::registration(EMAIL);
    browser.post("/web/auth/register").json(&ada).await.expect(201);
    let first = browser.cookie("__Host-Http-auth").unwrap();
    assert_eq!(browser.get("/me").await.expect(200).text(), EMAIL);
    browser.post("/web/auth/logout").await.expect(200);
    browser.get("/me").await.expect(401);
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    browser.post("/web/auth/login").json(&login).await.expect(200);
    assert_ne!(browser.cookie("__Host-Http-auth").unwrap(), first);
    // Clones share the cookies.
    browser.clone().get("/me").await.expect(200);
    host.browser().get("/me").await.expect(401);
}

#[tokio::test]
async fn what_pages_of_other_origins_send_is_refused() {
    let host = Host::configured(|config| {
        config.browser(BrowserOptions::default().allowed_origins(["https://admin.example.com"]))
    });
    let (ada, browser) = (host.user(EMAIL).await, host.browser());
    login_as(&host.auth, &ada).in_browser(&browser).await.unwrap();
    let sibling = browser.on_sibling("https://blog.example.com");
    assert_eq!(sibling.post("/transfer").await.expect(403).code().as_deref(), Some("cross_origin_request"));
    sibling.get("/me").await.expect(200);
    browser.on_sibling("https://admin.example.com").post("/transfer").await.expect(200);
    let evil = browser.on_other_site("https://evil.example");
    // The cookie does not come with a form or a script, and with a link it does.
    evil.post("/transfer").form([("amount", "1")]).await.expect(401);
    evil.get("/me").by_script().await.expect(401);
    evil.get("/me").await.expect(200);
    evil.post("/web/auth/logout").await.expect(403);
    browser.post("/transfer").await.expect(200);
}

#[tokio::test]
async fn a_request_has_the_headers_of_browsers() {
    let app = Router::new().route("/echo", any(echo));
    let browser = Browser::new(app.clone()).at("https://shop.example.com:8443");
    assert!(browser.set_cookie("theme=dark; Path=/") && !browser.set_cookie("__Host-a=1"));
    let headers = |reply: axum_auth_module::testing::Reply| reply.expect(200).json::<Value>();
    assert_eq!(
        headers(browser.get("/echo").await),
        json!({
            "host": "shop.example.com:8443", "cookie": "theme=dark", "sec-fetch-site": "same-origin",
            "sec-fetch-mode": "navigate", "sec-fetch-dest": "document",
        })
    );
    assert_eq!(
        headers(browser.put("/echo").json(&json!({})).await),
        json!({
            "host": "shop.example.com:8443", "cookie": "theme=dark", "sec-fetch-site": "same-origin",
            "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", "origin": "https://shop.example.com:8443",
            "content-type": "application/json", "content-length": "2",
        })
    );
    let evil = browser.on_other_site("https://evil.example").post("/echo").header("accept", "text/html");
    assert_eq!(
        headers(evil.await),
        json!({
            "host": "shop.example.com:8443", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "document", "origin": "https://evil.example", "accept": "text/html",
        })
    );
    assert_eq!(headers(Client::new(app).get("/echo").await), json!({ "host": "app.example.com" }));
}

#[tokio::test]
async fn a_form_is_sent_as_pages_do() {
    let app = Router::new().route("/", axum::routing::post(async |body: String| body));
    let fields = [("name", "Ada & Söhne"), ("x+y", "1 = 2%"), ("empty", "")];
    let reply = Browser::new(app).post("/").form(fields).await.expect(200);
    assert_eq!(reply.text(), "name=Ada%20%26%20S%C3%B6hne&x%2By=1%20%3D%202%25&empty=");
}

#[tokio::test]
async fn without_tls_secure_cookies_are_kept_on_this_machine_alone() {
    let set = async || ([(SET_COOKIE, "a=1; Secure; Path=/")], "");
    let app = Router::new().route("/", get(set));
    for (origin, is_kept) in [
        ("http://localhost:3000", true),
        ("http://app.example.com", false),
        ("https://app.example.com", true),
    ] {
        let browser = Browser::new(app.clone()).at(origin);
        browser.get("/").await.expect(200);
        assert_eq!(browser.cookie("a").is_some(), is_kept, "{origin}");
    }
}

#[tokio::test]
async fn the_limits_count_by_the_address_of_the_client() {
    let mut limits = RateLimits::default();
    limits.login_client = RateLimit::per_seconds(2, 60);
    let host = Host::configured(|config| config.limits(limits));
    let wrong = json!({ "email": EMAIL, "password": "a wrong password" });
    let other = "198.51.100.7".parse().unwrap();
    for status in [401, 401, 429] {
        host.client().post("/auth/login").json(&wrong).await.expect(status);
    }
    host.client().from_address(other).post("/auth/login").json(&wrong).await.expect(401);
    host.browser().post("/web/auth/login").json(&wrong).await.expect(429);
    host.browser().from_address(other).post("/web/auth/login").json(&wrong).await.expect(401);
}

#[tokio::test]
async fn what_is_printed_of_a_response_has_no_token_in_it() {
    let host = Host::start();
    host.user(EMAIL).await;
    let login = |password: &str| json!({ "email": EMAIL, "password": password });
    let reply = host.client().post("/auth/login").json(&login(PASSWORD)).await;
    assert_eq!(format!("{reply:?}"), "POST /auth/login returned 200 OK");
    let failed = std::panic::catch_unwind(|| reply.expect(401)).err().unwrap();
    let message = failed.downcast_ref::<String>().unwrap();
    assert_eq!(message, "expected 401, but POST /auth/login returned 200 OK");
    let reply = host.client().post("/auth/login").json(&login("a wrong password")).await;
    let shown = format!("{reply:?}");
    assert!(shown.starts_with("POST /auth/login returned 401 Unauthorized: {\"type\""), "{shown}");
}
