//! Which of a session's cookies are valid (specification §27.3), by the clock.

use super::browser::{Browser, SESSION};
use super::host;
use crate::support::authenticator::Authenticator;
use crate::support::places::Place;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::delivery::PasswordResetMessage;
use serde_json::json;
use std::sync::Arc;

const NEW: &str = "a new password for all";

async fn registered(app: &Arc<App>) -> Browser {
    let browser = Browser::new(app);
    browser.register(EMAIL).await;
    browser
}

async fn is_confirmed(browser: &Browser) -> bool {
    let status = browser.session_status().await["confirmed"].clone();
    let route = browser.call(reqwest::Method::GET, "/confirmed").await.status;
    let list = browser.call(reqwest::Method::DELETE, "/web/auth/user/sessions/x").await.status;
    match (route, list) {
        (200, 404) => assert_eq!(status, json!(true)),
        (403, 403) => assert_eq!(status, json!(false)),
        other => panic!("{other:?}"),
    }
    route == 200
}

#[tokio::test]
async fn a_cookie_from_before_a_confirmation_has_no_step_up() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let before = browser.copy();
    assert_eq!(browser.number(), 0);
    browser.confirm().await;
    assert_eq!((browser.number(), browser.session_id()), (1, before.session_id()));
    assert!(is_confirmed(&browser).await && !is_confirmed(&before).await);
    assert!(before.is_logged_in().await);
    // Each confirmation has its own cookie, and only the newest one is confirmed.
    let first = browser.copy();
    browser.confirm().await;
    assert!(is_confirmed(&browser).await && !is_confirmed(&first).await);
}

/// What was proven later does not raise the level of a cookie from before; the sign-in counts for each.
#[tokio::test]
async fn a_cookie_from_before_a_confirmation_has_the_level_of_the_sign_in() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let before = browser.copy();
    app.advance(299);
    assert_eq!(before.call(reqwest::Method::GET, "/assured").await.status, 200);
    app.advance(1);
    browser.confirm().await;
    assert_eq!(before.call(reqwest::Method::GET, "/assured").await.status, 401);
    assert_eq!(browser.call(reqwest::Method::GET, "/assured").await.status, 200);
    assert!(before.is_logged_in().await);
}

#[tokio::test]
async fn a_replaced_cookie_becomes_invalid_ten_seconds_after_its_successor_was_seen() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let before = browser.copy();
    browser.confirm().await;
    app.advance(100);
    // The successor was not seen so far.
    assert!(before.is_logged_in().await && before.is_logged_in().await);
    assert!(browser.is_logged_in().await);
    app.advance(5);
    // A further use does not move the beginning.
    assert!(browser.is_logged_in().await);
    app.advance(4);
    assert!(before.is_logged_in().await);
    app.advance(1);
    assert!(!before.is_logged_in().await);
    assert!(browser.is_logged_in().await && is_confirmed(&browser).await);
    app.advance(3600);
    assert!(!before.is_logged_in().await && browser.is_logged_in().await);
}

#[tokio::test]
async fn a_cookie_stays_valid_if_the_response_with_its_successor_was_lost() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    browser.log_in_remembered(EMAIL).await;
    for confirmations in 1..=3 {
        // The browser never receives this response.
        browser.confirm_call().await.expect(200);
        for _ in 0..6 {
            app.advance(86_400);
            assert!(browser.is_logged_in().await, "{confirmations}");
        }
        assert!(!is_confirmed(&browser).await);
    }
    browser.confirm().await;
    assert_eq!(browser.number(), 4);
    assert!(is_confirmed(&browser).await);
    app.advance(10);
    assert!(browser.is_logged_in().await);
}

#[tokio::test]
async fn a_cookie_ends_at_once_when_the_successor_of_its_successor_is_seen() {
    let app = host::start().await;
    let zero = registered(&app).await;
    let one = zero.copy();
    one.confirm().await;
    assert!(one.is_logged_in().await && zero.is_logged_in().await);
    let two = one.copy();
    two.confirm().await;
    assert!(one.is_logged_in().await && zero.is_logged_in().await);
    assert!(two.is_logged_in().await);
    assert!(!zero.is_logged_in().await && one.is_logged_in().await);
    app.advance(10);
    assert!(!one.is_logged_in().await && two.is_logged_in().await);
    // What was invalid stays so.
    two.confirm().await;
    assert!(!zero.is_logged_in().await && !one.is_logged_in().await);
    assert!(two.is_logged_in().await && !zero.is_logged_in().await);
}

#[tokio::test]
async fn the_grace_period_is_the_one_of_the_configuration() {
    use std::time::Duration;
    let app = host::start_with(|config| config.refresh_grace(Duration::from_secs(3))).await;
    let browser = registered(&app).await;
    let before = browser.copy();
    browser.confirm().await;
    assert!(browser.is_logged_in().await);
    app.advance(2);
    assert!(before.is_logged_in().await);
    app.advance(1);
    assert!(!before.is_logged_in().await && browser.is_logged_in().await);
}

#[tokio::test]
async fn an_invalid_number_is_401_everywhere_and_the_session_continues() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let old = browser.copy();
    browser.confirm().await;
    assert!(browser.is_logged_in().await);
    app.advance(10);
    old.confirm_call().await.refused(401, "unauthenticated");
    old.change_password_call(PASSWORD, NEW).await.refused(401, "unauthenticated");
    let own = format!("/web/auth/user/sessions/{}", browser.session_id());
    old.delete(&own).await.refused(401, "unauthenticated");
    old.post("/form/confirm_password", &json!({ "password": PASSWORD }))
        .await
        .refused(401, "unauthenticated");
    // A logout with it is 200, as it is without a session, and ends nothing.
    old.log_out().await;
    assert!(browser.is_logged_in().await && is_confirmed(&browser).await);
}

#[tokio::test]
async fn a_login_with_a_replaced_cookie_ends_no_session() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let old = browser.copy();
    browser.change_password(PASSWORD, NEW).await;
    let body = json!({ "email": EMAIL, "password": NEW });
    old.post("/web/auth/login", &body).await.expect(200);
    assert!(browser.is_logged_in().await && old.is_logged_in().await);
}

/// Each credential change: what it does to the cookies from before, of its own session and of others.
#[tokio::test]
async fn a_cookie_from_before_a_credential_change_is_401_at_once() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let check = async |before: Browser, other: Browser, numbers: (u64, u64)| {
        assert!(!before.is_logged_in().await && !other.is_logged_in().await);
        assert!(browser.is_logged_in().await);
        assert_eq!((before.number(), browser.number()), numbers);
    };
    let log_in_elsewhere = async |password: &str| {
        let other = Browser::new(&app);
        let body = json!({ "email": EMAIL, "password": password, "remember": true });
        other.post("/web/auth/login", &body).await.expect(200);
        other
    };
    let (before, other) = (browser.copy(), log_in_elsewhere(PASSWORD).await);
    browser.change_password(PASSWORD, NEW).await;
    check(before, other, (0, 1)).await;

    let confirmed = browser.post("/web/auth/user/confirm-password", &json!({ "password": NEW })).await;
    confirmed.expect(200);
    let (before, other) = (browser.copy(), log_in_elsewhere(NEW).await);
    browser.post("/web/auth/user/two-factor-authentication", &json!({})).await.expect(200);
    let key = browser.get("/web/auth/user/two-factor-secret-key").await.expect(200);
    let authenticator = Authenticator::new(key.body["secretKey"].as_str().unwrap());
    let code = json!({ "code": authenticator.code(&app) });
    browser.post("/web/auth/user/confirmed-two-factor-authentication", &code).await.expect(200);
    check(before, other, (2, 3)).await;
    // The confirmation continues.
    assert!(is_confirmed(&browser).await);

    let before = browser.copy();
    let other = log_in_elsewhere(NEW).await;
    app.next_step();
    let code = json!({ "code": authenticator.code(&app) });
    other.post("/web/auth/two-factor-challenge", &code).await.expect(200);
    assert!(other.is_logged_in().await);
    browser.delete("/web/auth/user/two-factor-authentication").await.expect(200);
    check(before, other, (3, 4)).await;
}

#[tokio::test]
async fn a_credential_change_in_a_session_of_one_kind_ends_those_of_the_other() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let tokens = app.login(EMAIL).await;
    browser.change_password(PASSWORD, NEW).await;
    app.is_over(&tokens).await;
    let tokens = app.login_call(EMAIL, NEW).await.expect(200).tokens();
    let body = json!({ "currentPassword": NEW, "password": PASSWORD, "passwordConfirmation": PASSWORD });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
    assert!(!browser.is_logged_in().await);
}

#[tokio::test]
async fn a_failed_credential_change_keeps_the_cookie() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let wrong = browser.keep(browser.change_password_call("wrong", NEW).await);
    wrong.refused(422, "incorrect_password");
    browser.keep(browser.change_password_call(PASSWORD, "short").await).expect(422);
    assert_eq!(browser.number(), 0);
    assert!(browser.is_logged_in().await);
}

#[tokio::test]
async fn a_reset_ends_the_sessions_of_browsers() {
    let app = host::start().await;
    let browser = registered(&app).await;
    let remembered = Browser::new(&app);
    remembered.log_in_remembered(EMAIL).await;
    remembered.confirm().await;
    browser.post("/web/auth/forgot-password", &json!({ "email": EMAIL })).await.expect(200);
    let token = app.outbox.next::<PasswordResetMessage>().await.token;
    let body = json!({ "email": EMAIL, "token": token, "password": NEW, "passwordConfirmation": NEW });
    let reset = browser.post("/web/auth/reset-password", &body).await.expect(200);
    assert_eq!(reset.header("set-cookie"), None);
    assert!(!browser.is_logged_in().await && !remembered.is_logged_in().await);
    browser.post("/web/auth/login", &json!({ "email": EMAIL, "password": NEW })).await.expect(200);
    assert!(browser.is_logged_in().await);
}

/// What an instance has seen, another one knows, also after a restart.
#[tokio::test]
async fn the_numbers_are_in_the_row() {
    let place = Place::memory();
    let (one, two) =
        (host::with_pages(place.start().await).await, host::with_pages(place.start().await).await);
    let browser = registered(&one).await;
    let before = browser.copy();
    browser.at(&two).confirm().await;
    assert!(before.is_logged_in().await && before.at(&two).is_logged_in().await);
    assert!(browser.at(&two).is_logged_in().await);
    one.advance(9);
    assert!(before.is_logged_in().await);
    one.advance(1);
    assert!(!before.is_logged_in().await && !before.at(&two).is_logged_in().await);
    let restarted = host::with_pages(place.start().await).await;
    assert!(!before.at(&restarted).is_logged_in().await && browser.at(&restarted).is_logged_in().await);
    let before = browser.copy();
    browser.at(&two).change_password(PASSWORD, NEW).await;
    for app in [&one, &two, &restarted] {
        assert!(!before.at(app).is_logged_in().await && browser.at(app).is_logged_in().await);
    }
}

/// The cookie of one session in the browser of another: the numbers belong to the session.
#[tokio::test]
async fn the_numbers_of_two_sessions_are_independent() {
    let app = host::start().await;
    let (one, two) = (registered(&app).await, Browser::new(&app));
    two.log_in(EMAIL).await;
    let before = one.copy();
    two.confirm().await;
    two.confirm().await;
    assert!(two.is_logged_in().await);
    app.advance(60);
    assert!(before.is_logged_in().await && !is_confirmed(&one).await && is_confirmed(&two).await);
    assert_eq!((one.number(), two.number()), (0, 2));
    assert_ne!(one.session_id(), two.session_id());
    assert_eq!(one.cookie(SESSION), before.cookie(SESSION));
}
