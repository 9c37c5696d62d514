//! The extractors with cookies: what they read, and what `None` means.

use super::browser::{Browser, SESSION};
use super::host;
use crate::support::places::Place;
use crate::support::providers::faults;
use crate::support::{App, Builder, EMAIL, PASSWORD, forge, memory_users};
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::testing::{Fault, ProviderMethod};
use serde_json::json;
use std::time::Duration;

const OPTIONAL: [&str; 4] = ["/optional", "/optional/claims", "/optional/verified", "/optional/confirmed"];

#[tokio::test]
async fn an_optional_user_is_none_without_a_valid_credential() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let text = async |browser: &Browser, path: &str| browser.get(path).await.expect(200).text;
    let nobody = Browser::new(&app);
    let invalid = Browser::new(&app);
    invalid.plant(SESSION, "x");
    let ended = browser.copy();
    browser.log_in(EMAIL).await;
    for browser in [&nobody, &invalid, &ended] {
        assert_eq!(text(browser, "/optional").await, "nobody");
        for path in &OPTIONAL[1..] {
            assert_eq!(text(browser, path).await, "false", "{path}");
        }
    }
    assert_eq!(text(&browser, "/optional").await, EMAIL);
    assert_eq!(text(&browser, "/optional/claims").await, "true");
    // A user who may not do this is an error, not nobody.
    browser.get("/optional/verified").await.refused(403, "email_not_verified");
    browser.get("/optional/confirmed").await.refused(403, "password_confirmation_required");
    let tokens = app.login(EMAIL).await;
    assert_eq!(app.get("/optional").bearer(&tokens.access).await.expect(200).text, EMAIL);
    assert_eq!(app.get("/optional").bearer("x").await.expect(200).text, "nobody");
    assert_eq!(app.get("/optional/claims").bearer(&tokens.refresh).await.expect(200).text, "false");
    // From a page of another origin, a cookie is an error, and no cookie is nobody.
    for path in OPTIONAL {
        for browser in [&browser, &invalid, &ended] {
            let call = app.post(path).header("cookie", &browser.cookie_header().unwrap());
            call.header("sec-fetch-site", "cross-site").await.refused(403, "cross_origin_request");
        }
        app.post(path).header("sec-fetch-site", "cross-site").await.expect(200);
    }
}

#[tokio::test]
async fn an_optional_user_is_an_error_if_a_repository_fails() {
    let (place, faults) = (Place::memory(), faults());
    let config = |config: AuthConfigBuilder| config.request_timeout(Duration::from_secs(1));
    let app = host::with_pages(place.start_faulty(&faults, config).await).await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    for path in
        ["/optional", "/optional/claims", "/me", "/claims", "/web/auth/session", "/web/auth/user/sessions"]
    {
        for fault in [Fault::Fails, Fault::IsUnavailable] {
            faults.next(ProviderMethod::SessionsFind, fault);
            let answer = browser.get(path).await;
            assert!(faults.have_happened());
            assert!((500..=503).contains(&answer.status), "{path} {fault:?}: {}", answer.status);
            assert_eq!(answer.header("set-cookie"), None);
        }
    }
    for path in ["/optional", "/me", "/web/auth/session", "/web/auth/user/sessions"] {
        for fault in [Fault::Fails, Fault::IsUnavailable] {
            faults.next(ProviderMethod::UsersFindById, fault);
            let answer = browser.get(path).await;
            assert!(faults.have_happened());
            assert!((500..=503).contains(&answer.status), "{path} {fault:?}: {}", answer.status);
        }
    }
    // A logout that could not end the session says so, and the browser keeps the cookie.
    for method in [ProviderMethod::SessionsFind, ProviderMethod::SessionsDelete] {
        for path in ["/web/auth/logout", "/form/log_out"] {
            faults.next(method, Fault::IsUnavailable);
            let answer = browser.post(path, &json!({})).await;
            assert_eq!((answer.status, answer.header("set-cookie")), (503, None), "{method} {path}");
        }
    }
    // So does a login whose previous session could not be ended.
    faults.next(ProviderMethod::SessionsDelete, Fault::IsUnavailable);
    let body = json!({ "email": EMAIL, "password": PASSWORD });
    let answer = browser.post("/web/auth/login", &body).await;
    assert_eq!((answer.status, answer.header("set-cookie")), (503, None));
    assert!(faults.have_happened());
    assert!(browser.is_logged_in().await);
}

#[tokio::test]
async fn claims_read_the_row_and_a_user_is_one_more_read() {
    let (users, faults) = (memory_users(), faults());
    let (repository, sessions) = (faults.over(users.clone()), faults.over(MemorySessions::new()));
    let module = |module: Builder| module.sessions(sessions);
    let app = App::with_everything_on(repository, users, |config| config, module).await;
    let app = host::with_pages(app).await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    // The first request after the start deletes expired sessions.
    while !faults.calls().contains(&ProviderMethod::SessionsDeleteExpired) {
        tokio::task::yield_now().await;
    }
    let reads = || {
        let calls = faults.calls();
        faults.clear_calls();
        calls
    };
    let (session, user) = (ProviderMethod::SessionsFind, ProviderMethod::UsersFindById);
    reads();
    for (path, users) in [
        ("/claims", 0),
        ("/optional/claims", 0),
        ("/me", 1),
        ("/optional", 1),
        ("/page", 1),
        ("/web/auth/session", 1),
        ("/form/identity", 1),
    ] {
        match path {
            "/form/identity" => browser.post(path, &json!({})).await.expect(200),
            _ => browser.get(path).await.expect(200),
        };
        assert_eq!(reads(), [session, user][..=users], "{path}");
    }
    // The first use of a cookie that has replaced another one is recorded, once.
    browser.confirm().await;
    reads();
    browser.get("/confirmed").await.expect(200);
    assert_eq!(reads(), [session, ProviderMethod::SessionsSwap, user]);
    for _ in 0..2 {
        browser.get("/confirmed").await.expect(200);
        assert_eq!(reads(), [session, user]);
    }
    // What this module has not signed costs no read, and neither does a request of another origin.
    let tokens = app.login(EMAIL).await;
    let own = browser.session();
    reads();
    let claims = serde_json::Value::Object(forge::claims(&own)).to_string();
    let forged =
        forge::sign(r#"{"alg":"HS256","typ":"sc+jwt"}"#, &claims, "another secret than the module's");
    for invalid in ["x", "x.y.z", &forged, &tokens.access, &"x".repeat(8192)] {
        let thief = Browser::new(&app);
        thief.plant(SESSION, invalid);
        assert!(!thief.is_logged_in().await);
        thief.get("/optional").await.expect(200);
        thief.post("/form/identity", &json!({})).await.refused(401, "unauthenticated");
        thief.get("/web/auth/user/sessions").await.refused(401, "unauthenticated");
    }
    for path in ["/me", "/claims", "/optional", "/web/auth/logout", "/form/identity"] {
        let call = app.post(path).header("cookie", &browser.cookie_header().unwrap());
        call.header("sec-fetch-site", "cross-site").await.refused(403, "cross_origin_request");
    }
    assert_eq!(reads(), []);
}

#[tokio::test]
async fn the_user_of_a_cookie_must_exist_and_be_active() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.active = false);
    browser.get("/me").await.refused(401, "unauthenticated");
    browser.get("/web/auth/user/sessions").await.refused(401, "unauthenticated");
    assert_eq!(browser.get("/optional").await.expect(200).text, "nobody");
    assert_eq!(browser.session_status().await, json!({ "authenticated": false }));
    browser.post("/form/identity", &json!({})).await.refused(401, "unauthenticated");
    app.users.update(EMAIL, |user| user.active = true);
    assert!(browser.is_logged_in().await);
    // Without a change of the row, a password that the host itself has changed ends the session for all but `Claims`.
    app.users.update(EMAIL, |user| user.password = "$2b$04$another".to_owned());
    browser.get("/me").await.refused(401, "unauthenticated");
    browser.get("/claims").await.expect(200);
    app.users.remove(EMAIL);
    browser.get("/me").await.refused(401, "unauthenticated");
}
