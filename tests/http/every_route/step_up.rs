//! The recent password confirmation that the seven two-factor routes require (specification §6.4, §12).

use crate::support::authenticator::Enrolled;
use crate::support::{App, Call, EMAIL, PASSWORD};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::TwoFactorOptions;
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The routes. The last one disables two-factor.
const GUARDED: [(&str, &str); 7] = [
    ("POST", "/auth/user/two-factor-authentication"),
    ("POST", "/auth/user/confirmed-two-factor-authentication"),
    ("GET", "/auth/user/two-factor-qr-code"),
    ("GET", "/auth/user/two-factor-secret-key"),
    ("GET", "/auth/user/two-factor-recovery-codes"),
    ("POST", "/auth/user/two-factor-recovery-codes"),
    ("DELETE", "/auth/user/two-factor-authentication"),
];

fn call(app: &App, (method, path): (&str, &str)) -> Call {
    app.request(method.parse().unwrap(), path)
}

/// Asserts that every route requires a confirmation from this session, and changes nothing.
async fn all_ask(app: &App, access: &str) {
    let fields = || {
        let user = app.users.by_email(EMAIL).unwrap();
        (user.two_factor_secret, user.two_factor_recovery_codes, user.two_factor_confirmed_at)
    };
    let before = fields();
    for route in GUARDED {
        let response = call(app, route).bearer(access).await;
        let refused = (response.status, response.code());
        assert_eq!(refused, (403, "password_confirmation_required"), "{route:?}");
    }
    assert_eq!(fields(), before);
}

/// Asserts that every route accepts this session of an enrolled user. Two-factor is disabled afterwards.
async fn all_let_through(app: &App, access: &str) {
    for route in GUARDED {
        let response = call(app, route).bearer(access).await;
        let expected = if route.1.contains("confirmed") { 415 } else { 200 };
        assert_eq!(response.status, expected, "{route:?}: {}", response.text);
    }
}

/// A second session of a user who is enrolled.
async fn another_session(app: &App, enrolled: &Enrolled) -> String {
    let token = app.challenge_token(EMAIL).await;
    let code = enrolled.authenticator.code(app);
    app.challenge(&token, &code).await.expect(200).tokens().access
}

#[tokio::test]
async fn without_a_token_every_route_is_closed() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    for route in GUARDED {
        call(&app, route).await.refused(401, "unauthenticated");
        call(&app, route).bearer("x").await.refused(401, "unauthenticated");
    }
}

#[tokio::test]
async fn every_route_requires_a_confirmation() {
    let app = App::with_everything().await;
    let token = app.register(EMAIL).await.access;
    all_ask(&app, &token).await;
    let wrong = json!({ "password": "wrong" });
    app.post("/auth/user/confirm-password").bearer(&token).json(&wrong).await.expect(422);
    all_ask(&app, &token).await;
}

#[tokio::test]
async fn a_confirmation_opens_every_route_to_the_session_that_made_it_alone() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let other = another_session(&app, &enrolled).await;
    all_ask(&app, &other).await;
    // The session stays confirmed after the credential change of the enrolment, and after a refresh.
    let renewed = app.refresh(&enrolled.tokens.refresh).await.expect(200).tokens();
    all_let_through(&app, &renewed.access).await;
}

#[tokio::test]
async fn a_confirmation_does_not_outlive_its_session() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.post("/auth/logout").bearer(&enrolled.tokens.access).await.expect(200);
    all_ask(&app, &another_session(&app, &enrolled).await).await;
}

/// A whole second, because `passwordConfirmedAt` is stored in seconds.
fn whole(time: SystemTime) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(time.duration_since(UNIX_EPOCH).unwrap().as_secs())
}

#[tokio::test]
async fn a_confirmation_expires_after_fifteen_minutes_to_the_second() {
    let app = App::with_everything().await;
    let tokens = app.enrolled(EMAIL).await.tokens;
    let now = whole(app.clock.now());
    app.clock.set(now);
    app.confirm_password(&tokens.access).await;
    app.advance(600);
    let tokens = app.refresh(&tokens.refresh).await.expect(200).tokens();
    app.clock.set(now + Duration::from_millis(899_999));
    app.get(GUARDED[3].1).bearer(&tokens.access).await.expect(200);
    app.clock.set(now + Duration::from_secs(900));
    all_ask(&app, &tokens.access).await;
    app.confirm_password(&tokens.access).await;
    all_let_through(&app, &tokens.access).await;
}

#[tokio::test]
async fn a_confirmation_in_the_future_does_not_count() {
    let app = App::with_everything().await;
    let token = app.enrolled(EMAIL).await.tokens.access;
    app.confirm_password(&token).await;
    // In the record, as after a manual change in the database,
    let later = app.clock.now() + Duration::from_secs(600);
    app.users.update(EMAIL, |user| user.password_confirmed_at = Some(later));
    all_ask(&app, &token).await;
    // or in the session's own entry, as after the clock was set back.
    app.clock.set(app.clock.now() - Duration::from_secs(25));
    let now = app.clock.now();
    app.users.update(EMAIL, |user| user.password_confirmed_at = Some(now));
    all_ask(&app, &token).await;
}

/// An old confirmation of this session and a recent one of another session are not a recent confirmation of this one.
#[tokio::test]
async fn the_record_alone_confirms_nothing_and_without_it_nothing_is_confirmed() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let other = another_session(&app, &enrolled).await;
    app.confirm_password(&enrolled.tokens.access).await;
    all_ask(&app, &other).await;
    app.users.update(EMAIL, |user| user.password_confirmed_at = None);
    all_ask(&app, &enrolled.tokens.access).await;
}

#[tokio::test]
async fn a_shorter_timeout_counts() {
    let minute = Duration::from_secs(60);
    let app = App::with_everything_and(|config| config.password_timeout(minute), |module| module).await;
    let token = app.confirmed_session(EMAIL).await.access;
    app.enable(&token).await.expect(200);
    app.advance(60);
    all_ask(&app, &token).await;
}

#[tokio::test]
async fn without_confirm_password_a_token_is_enough() {
    let mut options = TwoFactorOptions::default();
    options.confirm_password = false;
    let app = App::with_everything_and(|config| config.two_factor(options), |module| module).await;
    let token = app.register(EMAIL).await.access;
    all_let_through(&app, &token).await;
    assert!(app.users.by_email(EMAIL).unwrap().password_confirmed_at.is_none());
    for route in GUARDED {
        call(&app, route).await.refused(401, "unauthenticated");
    }
}

#[tokio::test]
async fn the_challenge_needs_no_confirmation() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.advance(900);
    another_session(&app, &enrolled).await;
}

#[tokio::test]
async fn a_request_is_checked_in_the_order_of_the_specification() {
    let app = App::with_everything().await;
    let token = app.register(EMAIL).await.access;
    let large = || "x".repeat(70_000);
    let confirm = || app.post("/auth/user/confirmed-two-factor-authentication");
    confirm().body("text/plain", large()).await.refused(401, "unauthenticated");
    let unconfirmed = confirm().bearer(&token).body("text/plain", large()).await;
    unconfirmed.refused(403, "password_confirmation_required");
    let body = json!({ "password": PASSWORD });
    app.post("/auth/user/confirm-password").bearer(&token).json(&body).await.expect(200);
    let confirm = || confirm().bearer(&token);
    confirm().body("text/plain", large()).await.refused(415, "unsupported_media_type");
    confirm().body("application/json", large()).await.refused(413, "payload_too_large");
    confirm().body("application/json", "{").await.refused(400, "malformed_request");
    app.enable(&token).await.expect(200);
    for _ in 0..5 {
        app.confirm_two_factor(&token, "no code").await.refused(422, "invalid_two_factor_code");
    }
    confirm().body("application/json", "{}").await.refused(422, "validation_failed");
    app.confirm_two_factor(&token, "no code").await.refused(429, "too_many_attempts");
}

#[tokio::test]
async fn another_method_is_a_405_before_anything_is_asked_for() {
    let app = App::with_everything().await;
    for (method, path, allow) in [
        ("GET", "/auth/user/two-factor-authentication", "POST,DELETE"),
        ("DELETE", "/auth/user/confirmed-two-factor-authentication", "POST"),
        ("POST", "/auth/user/two-factor-qr-code", "GET,HEAD"),
        ("PUT", "/auth/user/two-factor-secret-key", "GET,HEAD"),
        ("DELETE", "/auth/user/two-factor-recovery-codes", "GET,HEAD,POST"),
    ] {
        let response = call(&app, (method, path)).await.refused(405, "method_not_allowed");
        assert_eq!(response.header("allow"), Some(allow), "{path}");
    }
}
