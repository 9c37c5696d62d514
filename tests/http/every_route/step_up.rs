//! The recently confirmed password that sensitive endpoints require (specification §6.4, §12).

use super::declarations::call;
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, every_endpoint};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{AuthConfigBuilder, SessionOptions, TwoFactorOptions};
use axum_auth_module::endpoint::{Credential, Endpoint, EndpointBody};
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

on_both_routers![
    without_a_token_every_route_is_closed,
    without_a_confirmation_every_route_asks_for_one,
    a_confirmation_opens_every_route_to_the_session_that_made_it_alone,
    a_confirmation_does_not_outlive_its_session,
    a_confirmation_expires_after_fifteen_minutes_to_the_second,
    a_confirmation_in_the_future_is_none,
    the_record_alone_confirms_nothing_and_without_it_nothing_is_confirmed,
    a_shorter_timeout_counts,
    without_confirm_password_a_token_is_enough,
    the_challenge_asks_for_no_confirmation,
    a_request_is_checked_in_the_order_of_the_specification,
    another_method_is_a_405_before_anything_is_asked_for,
];

/// The endpoints that must declare it (specification §12.2).
const REQUIRED: [(&str, &str); 18] = [
    ("POST", "/user/api-tokens"),
    ("POST", "/user/email-change"),
    ("POST", "/user/identities/{provider}/authorize"),
    ("DELETE", "/user/identities/{id}"),
    ("GET", "/user/passkeys/options"),
    ("DELETE", "/user/passkeys/{id}"),
    ("POST", "/user/two-factor-authentication"),
    ("POST", "/user/confirmed-two-factor-authentication"),
    ("GET", "/user/two-factor-qr-code"),
    ("GET", "/user/two-factor-secret-key"),
    ("GET", "/user/two-factor-recovery-codes"),
    ("POST", "/user/two-factor-recovery-codes"),
    ("DELETE", "/user/two-factor-authentication"),
    ("DELETE", "/user/trusted-devices/{id}"),
    ("DELETE", "/user/trusted-devices"),
    ("DELETE", "/user/sessions/{id}"),
    ("DELETE", "/user/sessions"),
    ("DELETE", "/user"),
];

/// The endpoints that declare it. Those that delete something are at the end. The last one ends every session, and the one before it the access token.
fn guarded() -> Vec<Endpoint> {
    let endpoints = every_endpoint().into_iter();
    // Ways in are removed in tests of their own.
    let is_guarded = |endpoint: &Endpoint| {
        endpoint.credential == Credential::RecentConfirmation && !endpoint.with_other_ways_in
    };
    let mut guarded: Vec<_> = endpoints.filter(is_guarded).collect();
    for required in REQUIRED {
        let is_required = |endpoint: &Endpoint| (endpoint.method.as_str(), endpoint.path) == required;
        assert!(guarded.iter().any(is_required), "{required:?}");
    }
    guarded.sort_by_key(|endpoint| match (endpoint.method.as_str(), endpoint.path) {
        ("DELETE", "/user") => 3,
        ("DELETE", "/user/two-factor-authentication") => 2,
        ("DELETE", _) => 1,
        _ => 0,
    });
    guarded
}

/// Every route asks this session for a confirmation, and does nothing.
async fn all_ask(app: &App, access: &str) {
    let fields = || {
        let user = app.users.by_email(EMAIL).unwrap();
        (user.two_factor_secret, user.two_factor_recovery_codes, user.two_factor_confirmed_at)
    };
    let before = fields();
    // That an address is not verified is said before this.
    app.verify_address(EMAIL);
    for route in &guarded() {
        let answer = call(app, route).bearer(access).await;
        let refused = (answer.status, answer.code());
        assert_eq!(refused, (403, "password_confirmation_required"), "{route:?}");
    }
    assert_eq!(fields(), before);
}

/// Every route lets this session of an enrolled user through. It leaves two-factor switched off.
async fn all_let_through(app: &App, access: &str) {
    let mut access = access.to_owned();
    for route in &guarded() {
        access = is_let_through(app, route, &access).await;
    }
}

/// Returns the access token that works afterwards, unless no session is left.
async fn is_let_through(app: &App, route: &Endpoint, access: &str) -> String {
    // Where addresses are verified, a passkey is for a verified one.
    app.verify_address(EMAIL);
    let answer = call(app, route).bearer(access).await;
    let expected = match route.body {
        EndpointBody::Required(_) | EndpointBody::Extensible(_) => 415,
        // Nothing has the id in the path.
        _ if route.path.contains("{id}") => 404,
        _ => route.status,
    };
    assert_eq!(answer.status, expected, "{route:?}: {}", answer.text);
    answer.session().map_or_else(|| access.to_owned(), |tokens| tokens.access)
}

/// A second session of a user who is enrolled.
async fn another_session(app: &App, enrolled: &Enrolled) -> String {
    let token = app.challenge_token(EMAIL).await;
    let code = enrolled.authenticator.code(app);
    app.challenge(&token, &code).await.expect(200).tokens().access
}

async fn without_a_token_every_route_is_closed() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    for route in &guarded() {
        call(&app, route).await.refused(401, "unauthenticated");
        call(&app, route).bearer("x").await.refused(401, "unauthenticated");
    }
}

async fn without_a_confirmation_every_route_asks_for_one() {
    let app = App::with_everything().await;
    let token = app.register(EMAIL).await.access;
    all_ask(&app, &token).await;
    let wrong = json!({ "password": "wrong" });
    app.post("/auth/user/confirm-password").bearer(&token).json(&wrong).await.expect(422);
    all_ask(&app, &token).await;
}

async fn a_confirmation_opens_every_route_to_the_session_that_made_it_alone() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let other = another_session(&app, &enrolled).await;
    all_ask(&app, &other).await;
    // The session goes on being confirmed over the credential change that enrolling was, and over a refresh.
    let renewed = app.renew(&enrolled.tokens).await;
    all_let_through(&app, &renewed.access).await;
}

async fn a_confirmation_does_not_outlive_its_session() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.post("/auth/logout").bearer(&enrolled.tokens.access).await.expect(200);
    all_ask(&app, &another_session(&app, &enrolled).await).await;
}

/// A whole second, for `passwordConfirmedAt` is recorded in these.
fn whole(time: SystemTime) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(time.duration_since(UNIX_EPOCH).unwrap().as_secs())
}

async fn a_confirmation_expires_after_fifteen_minutes_to_the_second() {
    let app = App::with_everything().await;
    let tokens = app.enrolled(EMAIL).await.tokens;
    let now = whole(app.clock.now());
    app.clock.set(now);
    app.confirm_password(&tokens.access).await;
    app.advance(600);
    let tokens = app.renew(&tokens).await;
    app.clock.set(now + Duration::from_millis(899_999));
    app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    app.clock.set(now + Duration::from_secs(900));
    all_ask(&app, &tokens.access).await;
    app.confirm_password(&tokens.access).await;
    all_let_through(&app, &tokens.access).await;
}

async fn a_confirmation_in_the_future_is_none() {
    let app = App::with_everything().await;
    let token = app.enrolled(EMAIL).await.tokens.access;
    app.confirm_password(&token).await;
    // The record says so, as after somebody's mistake in the database,
    let later = app.clock.now() + Duration::from_secs(600);
    app.users.update(EMAIL, |user| user.password_confirmed_at = Some(later));
    all_ask(&app, &token).await;
    // or the session's own stamp does, as after a clock was set back.
    app.clock.set(app.clock.now() - Duration::from_secs(25));
    let now = app.clock.now();
    app.users.update(EMAIL, |user| user.password_confirmed_at = Some(now));
    all_ask(&app, &token).await;
}

/// One session's confirmation and another one's recent record do not add up to one.
async fn the_record_alone_confirms_nothing_and_without_it_nothing_is_confirmed() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let other = another_session(&app, &enrolled).await;
    app.confirm_password(&enrolled.tokens.access).await;
    all_ask(&app, &other).await;
    app.users.update(EMAIL, |user| user.password_confirmed_at = None);
    all_ask(&app, &enrolled.tokens.access).await;
}

async fn a_shorter_timeout_counts() {
    let minute = Duration::from_secs(60);
    let app = App::with_everything_and(|config| config.password_timeout(minute), |module| module).await;
    let token = app.confirmed_session(EMAIL).await.access;
    app.enable(&token).await.expect(200);
    app.advance(60);
    all_ask(&app, &token).await;
}

async fn without_confirm_password_a_token_is_enough() {
    let mut options = TwoFactorOptions::default();
    options.confirm_password = false;
    let mut sessions = SessionOptions::default();
    sessions.confirm_password = false;
    let config = |config: AuthConfigBuilder| config.two_factor(options).sessions(sessions);
    let app = App::with_everything_and(config, |module| module).await;
    let mut token = app.register(EMAIL).await.access;
    // No option switches these off.
    let always = [
        "deleteAccount",
        "requestEmailChange",
        "createApiToken",
        "forgetTrustedDevice",
        "forgetTrustedDevices",
        "newPasskeyOptions",
        "removePasskey",
        "authorizeIdentity",
        "unlinkIdentity",
    ];
    for route in &guarded() {
        if always.contains(&route.operation) {
            let answer = call(&app, route).bearer(&token).await;
            answer.refused(403, "password_confirmation_required");
        } else {
            token = is_let_through(&app, route, &token).await;
        }
    }
    assert!(app.users.by_email(EMAIL).unwrap().password_confirmed_at.is_none());
    for route in &guarded() {
        call(&app, route).await.refused(401, "unauthenticated");
    }
}

async fn the_challenge_asks_for_no_confirmation() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.advance(900);
    another_session(&app, &enrolled).await;
}

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

async fn another_method_is_a_405_before_anything_is_asked_for() {
    let app = App::with_everything().await;
    for (method, path, allow) in [
        ("GET", "/auth/user/two-factor-authentication", "POST,DELETE"),
        ("DELETE", "/auth/user/confirmed-two-factor-authentication", "POST"),
        ("POST", "/auth/user/two-factor-qr-code", "GET,HEAD"),
        ("PUT", "/auth/user/two-factor-secret-key", "GET,HEAD"),
        ("DELETE", "/auth/user/two-factor-recovery-codes", "GET,HEAD,POST"),
    ] {
        let answer = app.request(method.parse().unwrap(), path).await.refused(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
    }
}
