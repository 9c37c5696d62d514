//! The recent confirmation of the password: without one, with one that is too old or in the future, and with that of
//! another session, at every route that requires it (ASVS 7.5.1, 7.5.2).

use super::target::{INCORRECT_PASSWORD, NOT_CONFIRMED, Target, attacks};
use crate::support::{Call, EMAIL, PASSWORD, Tokens, forge};
use axum_auth_module::clock::Clock;
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

attacks! {
    on_both_routers {
        without_a_confirmation: 9,
        after_wrong_confirmations: 15,
        with_a_confirmation_that_is_too_old: 9,
        with_a_confirmation_in_the_future: 9,
        with_the_confirmation_of_another_session: 9,
        with_the_confirmation_of_a_session_that_has_ended: 9,
        a_window_that_is_stretched: 12,
    }
}

/// The guarded routes, and the status of each for a session with a confirmation. The last one changes the credentials.
const GUARDED: [(&str, &str, u16); 9] = [
    ("GET", "/auth/user/two-factor-qr-code", 200),
    ("GET", "/auth/user/two-factor-secret-key", 200),
    ("GET", "/auth/user/two-factor-recovery-codes", 200),
    ("POST", "/auth/user/two-factor-recovery-codes", 200),
    ("POST", "/auth/user/two-factor-authentication", 200),
    // No enrolment is pending: the code is not looked at.
    ("POST", "/auth/user/confirmed-two-factor-authentication", 422),
    ("DELETE", "/auth/user/sessions/00000000-0000-4000-8000-000000000000", 404),
    ("DELETE", "/auth/user/sessions", 200),
    ("DELETE", "/auth/user/two-factor-authentication", 200),
];

fn call(target: &Target, (method, path, _): (&str, &str, u16), access: &str) -> Call {
    let call = target.request(Method::from_bytes(method.as_bytes()).unwrap(), path).bearer(access);
    if path.ends_with("confirmed-two-factor-authentication") {
        return call.json(&json!({ "code": "000000" }));
    }
    call
}

/// No guarded route does anything for this session.
async fn all_refuse(target: &Target, access: &str) {
    for route in GUARDED {
        target.refuses(route.1, call(target, route, access), NOT_CONFIRMED).await;
    }
    let user = target.users.by_email(EMAIL).unwrap();
    assert!(user.two_factor_secret.is_some() && user.two_factor_confirmed_at.is_some(), "still on");
}

/// Every guarded route serves this session, once it has confirmed the password.
async fn all_serve(target: &Target, access: &str) {
    target.confirm_password(access).await;
    for route in GUARDED {
        target.serves(route.1, call(target, route, access), route.2).await;
    }
}

/// A user with two-factor on, and a session of that user that has confirmed nothing.
async fn unconfirmed(target: &Target) -> (Tokens, Tokens) {
    let enrolled = target.enrolled(EMAIL).await;
    let session = target.log_in_by_code(EMAIL, &enrolled.authenticator).await;
    (session, enrolled.tokens)
}

async fn without_a_confirmation() -> Target {
    let target = Target::without_limits().await;
    let (session, _) = unconfirmed(&target).await;
    all_refuse(&target, &session.access).await;
    all_serve(&target, &session.access).await;
    target
}

async fn after_wrong_confirmations() -> Target {
    let target = Target::without_limits().await;
    let (session, _) = unconfirmed(&target).await;
    for wrong in ["wrong", &PASSWORD.to_uppercase(), &format!("{PASSWORD} "), &format!("{PASSWORD}\0")] {
        target.refuses(wrong, target.confirm(&session.access, wrong), INCORRECT_PASSWORD).await;
    }
    let body = json!({ "password": [PASSWORD] });
    let call = target.post("/auth/user/confirm-password").bearer(&session.access).json(&body);
    target.refuses_fields("an array", call, &["password: wrong_type"]).await;
    let body = json!({ "password": "wrong", "confirmed": true });
    let call = target.post("/auth/user/confirm-password").bearer(&session.access).json(&body);
    target.refuses("one's own verdict", call, INCORRECT_PASSWORD).await;
    all_refuse(&target, &session.access).await;
    all_serve(&target, &session.access).await;
    target
}

async fn with_a_confirmation_that_is_too_old() -> Target {
    let target = Target::with(|config| config.password_timeout(Duration::from_secs(60))).await;
    let (session, _) = unconfirmed(&target).await;
    target.confirm_password(&session.access).await;
    target.advance(60);
    all_refuse(&target, &session.access).await;
    all_serve(&target, &session.access).await;
    target
}

/// As after a clock was set back.
async fn with_a_confirmation_in_the_future() -> Target {
    let target = Target::without_limits().await;
    let (session, _) = unconfirmed(&target).await;
    let now = target.clock.now();
    target.advance(25);
    target.confirm_password(&session.access).await;
    target.clock.set(now);
    target.users.update(EMAIL, |user| user.password_confirmed_at = Some(now));
    all_refuse(&target, &session.access).await;
    all_serve(&target, &session.access).await;
    target
}

async fn with_the_confirmation_of_another_session() -> Target {
    let target = Target::without_limits().await;
    let (session, confirmed) = unconfirmed(&target).await;
    target.confirm_password(&confirmed.access).await;
    assert!(target.users.by_email(EMAIL).unwrap().password_confirmed_at.is_some());
    all_refuse(&target, &session.access).await;
    all_serve(&target, &confirmed.access).await;
    target
}

async fn with_the_confirmation_of_a_session_that_has_ended() -> Target {
    let target = Target::without_limits().await;
    let enrolled = target.enrolled(EMAIL).await;
    target.confirm_password(&enrolled.tokens.access).await;
    target.log_out(&enrolled.tokens.access).await.expect(200);
    let session = target.log_in_by_code(EMAIL, &enrolled.authenticator).await;
    assert_ne!(
        forge::claims(&session.access)["sid"],
        forge::claims(&enrolled.tokens.access)["sid"],
        "another session"
    );
    all_refuse(&target, &session.access).await;
    all_serve(&target, &session.access).await;
    target
}

async fn a_window_that_is_stretched() -> Target {
    let target = Target::with(|config| config.password_timeout(Duration::from_secs(60))).await;
    let access = target.register(EMAIL).await.access;
    let status = |query: &str| {
        let path = format!("/auth/user/confirmed-password-status{query}");
        target.get(&path).bearer(&access)
    };
    target.confirm_password(&access).await;
    let answer = target.serves("in time", status(""), 200).await;
    target.works("in time", answer.text == r#"{"confirmed":true}"#);
    for query in [
        "?seconds=-1",
        "?seconds=x",
        "?seconds=",
        "?seconds=1.5",
        "?seconds=1e9",
        "?seconds=1&seconds=9999",
        "?seconds=99999999999999999999999",
    ] {
        target.refuses_fields(query, status(query), &["seconds: invalid"]).await;
    }
    target.advance(60);
    for query in ["", "?seconds=61", "?seconds=86400", "?seconds=18446744073709551615", "?Seconds=86400"] {
        let answer = target.shrugs_off(query, status(query), 200).await;
        assert_eq!(answer.text, r#"{"confirmed":false}"#, "{query}");
    }
    target
}
