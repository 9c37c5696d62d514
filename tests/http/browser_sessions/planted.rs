//! Cookies that were in the browser before the login, and the end of the session that they belong to (ASVS 7.2.4).

use super::browser::{Browser, CHALLENGE, SESSION};
use super::host;
use crate::support::authenticator::Enrolled;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::events::{EventKind, SessionEnd};
use serde_json::json;
use std::sync::Arc;

const MALLORY: &str = "mallory@example.com";

async fn registered(app: &Arc<App>, email: &str) -> Browser {
    let browser = Browser::new(app);
    browser.register(email).await;
    browser
}

/// The next event of a session that has ended: its id, its user and the reason.
async fn ended(app: &App) -> (String, String, SessionEnd) {
    loop {
        let event = app.event().await;
        if let EventKind::SessionEnded { session_id, reason } = event.kind {
            return (session_id, event.user_id.unwrap(), reason);
        }
    }
}

#[tokio::test]
async fn a_planted_cookie_is_not_kept_at_a_login_or_a_registration() {
    let app = host::start().await;
    registered(&app, EMAIL).await;
    for is_login in [true, false] {
        let attacker = registered(&app, &format!("{is_login}@example.com")).await;
        let victim = Browser::new(&app);
        victim.plant(SESSION, &attacker.session());
        match is_login {
            true => victim.log_in(EMAIL).await,
            false => victim.register("new@example.com").await,
        };
        assert_ne!(victim.session_id(), attacker.session_id());
        assert_ne!(victim.get("/me").await.expect(200).text, format!("{is_login}@example.com"));
        // The attacker's session has ended: the victim's browser was in it.
        assert!(!attacker.is_logged_in().await && victim.is_logged_in().await);
        let (id, _, reason) = ended(&app).await;
        assert_eq!((id, reason), (attacker.session_id(), SessionEnd::Superseded));
    }
}

#[tokio::test]
async fn a_login_ends_the_own_session_of_the_browser() {
    let app = host::start().await;
    let browser = registered(&app, EMAIL).await;
    let other = Browser::new(&app);
    other.log_in(EMAIL).await;
    let before = browser.copy();
    browser.confirm().await;
    browser.log_in(EMAIL).await;
    assert_ne!(browser.session_id(), before.session_id());
    assert_eq!(browser.number(), 0);
    assert!(!before.is_logged_in().await && browser.is_logged_in().await && other.is_logged_in().await);
    assert_eq!(ended(&app).await, (before.session_id(), "1".to_owned(), SessionEnd::Superseded));
    // The confirmation of the previous session is not the new one's.
    browser.get("/confirmed").await.refused(403, "password_confirmation_required");
}

#[tokio::test]
async fn a_login_that_fails_ends_nothing() {
    let app = host::start().await;
    let browser = registered(&app, EMAIL).await;
    let wrong = json!({ "email": EMAIL, "password": "wrong" });
    browser.post("/web/auth/login", &wrong).await.refused(401, "invalid_credentials");
    browser.post("/web/auth/login", &json!({ "email": EMAIL })).await.expect(422);
    let taken = crate::support::registration(EMAIL);
    browser.post("/web/auth/register", &taken).await.expect(409);
    assert!(browser.is_logged_in().await);
}

#[tokio::test]
async fn with_a_second_factor_the_previous_session_ends_after_the_second_step() {
    let app = host::start().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let attacker = registered(&app, MALLORY).await;
    let victim = Browser::new(&app);
    victim.plant(SESSION, &attacker.session());
    victim.log_in(EMAIL).await;
    assert!(attacker.is_logged_in().await);
    let wrong = json!({ "code": authenticator.wrong_code(&app) });
    victim.post("/web/auth/two-factor-challenge", &wrong).await.refused(422, "invalid_two_factor_code");
    assert!(attacker.is_logged_in().await);
    let code = json!({ "code": authenticator.code(&app) });
    victim.post("/web/auth/two-factor-challenge", &code).await.expect(200);
    assert!(!attacker.is_logged_in().await && victim.is_logged_in().await);
    assert_eq!(victim.get("/me").await.expect(200).text, EMAIL);
    assert_eq!(ended(&app).await, (attacker.session_id(), "2".to_owned(), SessionEnd::Superseded));
}

/// An attacker plants a challenge of their own account: the victim's code does not fit, and the login starts anew.
#[tokio::test]
async fn a_planted_challenge_is_replaced_by_the_login() {
    let app = host::start().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    app.enrolled(MALLORY).await;
    let attacker = Browser::new(&app);
    attacker.log_in(MALLORY).await;
    let victim = Browser::new(&app);
    victim.plant(CHALLENGE, &attacker.cookie(CHALLENGE).unwrap());
    victim.log_in(EMAIL).await;
    assert_ne!(victim.cookie(CHALLENGE), attacker.cookie(CHALLENGE));
    app.next_step();
    let code = json!({ "code": authenticator.code(&app) });
    victim.post("/web/auth/two-factor-challenge", &code).await.expect(200);
    assert_eq!(victim.get("/me").await.expect(200).text, EMAIL);
    assert_eq!(victim.names(), [SESSION]);
}

#[tokio::test]
async fn a_challenge_that_a_login_without_second_factor_overtakes_is_dropped() {
    let app = host::start().await;
    app.enrolled(EMAIL).await;
    registered(&app, MALLORY).await;
    let browser = Browser::new(&app);
    browser.log_in(EMAIL).await;
    assert_eq!(browser.names(), [CHALLENGE]);
    browser.log_in(MALLORY).await;
    assert_eq!(browser.names(), [SESSION]);
}

#[tokio::test]
async fn a_cookie_that_is_no_credential_does_not_disturb_a_login() {
    let app = host::start().await;
    let browser = registered(&app, EMAIL).await;
    let (first, tokens) = (browser.session(), app.login(EMAIL).await);
    browser.log_out().await;
    for planted in ["x", "", &"x".repeat(8192), &first, &tokens.access, &format!("\"{first}\"")] {
        browser.plant(SESSION, planted);
        browser.log_in(EMAIL).await;
        assert!(browser.is_logged_in().await, "{planted}");
        browser.log_out().await;
    }
    app.me(&tokens.access).await.expect(200);
}

/// A login at the bearer router knows no cookie.
#[tokio::test]
async fn a_login_at_the_bearer_router_ends_no_browser_session() {
    let app = host::start().await;
    let browser = registered(&app, EMAIL).await;
    let cookie = browser.cookie_header().unwrap();
    let answer = app.login_call(EMAIL, PASSWORD).header("cookie", &cookie).await.expect(200);
    assert_eq!(answer.header("set-cookie"), None);
    assert!(answer.body["accessToken"].is_string());
    assert!(browser.is_logged_in().await);
}
