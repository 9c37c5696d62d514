//! Which responses expire a session cookie (specification §27.2).

use super::browser::{Browser, CHALLENGE, SESSION};
use super::cookies::{expired, set};
use super::host;
use crate::support::forge::{self, JWT_SECRET};
use crate::support::{App, EMAIL, PASSWORD};
use serde_json::{Value, json};
use std::sync::Arc;

/// Which cookies the response to a request without a valid session expires, at a route and at `GET /session`.
async fn expired_by(browser: &Browser) -> [bool; 3] {
    let call = |path: &str| browser.call(reqwest::Method::GET, path);
    let refused = call("/web/auth/user/sessions").await.refused(401, "unauthenticated");
    let absent = call("/web/auth/session").await.expect(200);
    assert_eq!(absent.body, json!({ "authenticated": false }));
    let host = call("/me").await.refused(401, "unauthenticated");
    [refused, absent, host].map(|answer| match &set(&answer)[..] {
        [] => false,
        [cookie] if *cookie == expired(SESSION) => true,
        other => panic!("{other:?}"),
    })
}

const KEPT: [bool; 3] = [false, false, false];
/// A host's own route sets no cookies.
const EXPIRED: [bool; 3] = [true, true, false];

async fn logged_in(app: &Arc<App>, email: &str) -> Browser {
    let browser = Browser::new(app);
    browser.register(email).await;
    browser
}

#[tokio::test]
async fn a_401_expires_a_cookie_whose_signature_type_or_time_is_invalid() {
    let app = host::start().await;
    let browser = logged_in(&app, EMAIL).await;
    let own = browser.session();
    let claims = Value::Object(forge::claims(&own));
    let forged = |typ: &str, key: &[u8]| {
        forge::sign(&json!({ "alg": "HS256", "typ": typ }).to_string(), &claims.to_string(), key)
    };
    let key = forge::derived(JWT_SECRET, "session-cookie");
    let tokens = app.login(EMAIL).await;
    for useless in [
        "x".to_owned(),
        "x".repeat(8192),
        format!("{own}x"),
        own.replace('.', ""),
        tokens.access,
        forged("sc+jwt", b"another secret than the module's"),
        forged("sc+jwt", JWT_SECRET.as_bytes()),
        forged("at+jwt", &key),
        forged("bc+jwt", &key),
    ] {
        browser.plant(SESSION, &useless);
        assert_eq!(expired_by(&browser).await, EXPIRED, "{useless}");
    }
    // Without a cookie, and with one that counts as none, there is nothing to expire.
    assert_eq!(expired_by(&Browser::new(&app)).await, KEPT);
    browser.plant(SESSION, &format!("\"{own}\""));
    assert_eq!(expired_by(&browser).await, KEPT);
    browser.plant(SESSION, &own);
    app.advance(24 * 3600);
    assert_eq!(expired_by(&browser).await, EXPIRED);
}

#[tokio::test]
async fn a_401_keeps_a_cookie_that_may_belong_to_a_request_that_was_on_its_way() {
    let app = host::start().await;
    // Replaced.
    let browser = logged_in(&app, EMAIL).await;
    let late = browser.copy();
    browser.change_password(PASSWORD, "a new password for all").await;
    assert_eq!(expired_by(&late).await, KEPT);
    // Ended.
    let late = browser.copy();
    browser.log_out().await;
    assert_eq!(expired_by(&late).await, KEPT);
    // The user is inactive, or gone.
    for email in ["inactive@example.com", "gone@example.com"] {
        let browser = logged_in(&app, email).await;
        match email {
            "gone@example.com" => assert!(app.users.remove(email)),
            _ => assert!(app.users.update(email, |user| user.active = false)),
        }
        let refused = browser.call(reqwest::Method::GET, "/web/auth/user/sessions").await;
        assert_eq!(set(&refused.expect(401)), []);
        assert_eq!(set(&browser.get("/web/auth/session").await.expect(200)), []);
    }
    // Idle for too long.
    let browser = logged_in(&app, "idle@example.com").await;
    app.advance(8 * 3600);
    assert_eq!(expired_by(&browser).await, KEPT);
}

/// A response with 403 or 404 says nothing about the cookie.
#[tokio::test]
async fn other_refusals_expire_nothing() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.plant(SESSION, "x");
    let evil = app.post("/web/auth/login").header("cookie", &browser.cookie_header().unwrap());
    assert_eq!(set(&evil.header("sec-fetch-site", "cross-site").await.expect(403)), []);
    for (path, status) in [("/web/auth/nothing", 404), ("/web/auth/login", 405)] {
        assert_eq!(set(&browser.get(path).await.expect(status)), []);
    }
    let invalid = browser.post("/web/auth/login", &json!({})).await.expect(422);
    assert_eq!(set(&invalid), []);
    // A 401 of a login with a useless cookie expires it, as every 401 does.
    let body = json!({ "email": EMAIL, "password": "wrong" });
    let wrong = browser.call(reqwest::Method::POST, "/web/auth/login").json(&body).await;
    assert_eq!(set(&wrong.refused(401, "invalid_credentials")), [expired(SESSION)]);
    assert_eq!(browser.cookie(CHALLENGE), None);
}
