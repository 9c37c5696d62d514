//! How many wrong codes are let through (specification §13.6, §17.1): five with a challenge token, and of an account five a minute
//! from one client and thirty an hour.

use crate::support::authenticator::{Enrolled, no_code_limits};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, at_once};
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::events::{AttemptKind, EventKind};
use serde_json::json;

on_both_routers![
    a_challenge_token_dies_after_five_wrong_codes,
    the_fifth_try_with_a_challenge_token_may_be_the_right_one,
    the_sixth_wrong_code_within_a_minute_is_refused_whatever_the_challenge,
    a_lockout_at_confirming_is_an_event_too,
    thirty_wrong_codes_an_hour_lock_the_second_factor,
    thirty_wrong_codes_an_hour_are_those_of_all_clients,
    wrong_codes_at_confirming_and_at_the_challenge_are_one_count,
    a_right_code_clears_the_accounts_own_count,
    nothing_else_clears_an_accounts_count,
    limits_are_what_the_configuration_says,
    a_token_that_is_none_costs_nobody_a_try,
];

on_both_routers![
    threads:
    of_thirty_wrong_codes_at_once_with_one_challenge_five_are_looked_at,
    of_forty_wrong_codes_at_once_five_are_let_through,
];

/// A host whose account limits are not in the way of what a test is about.
async fn without_account_limits() -> App {
    App::with_everything_and(|config| config.limits(no_code_limits()), |module| module).await
}

/// So many wrong codes, each with a challenge of its own.
async fn fail(app: &App, email: &str, times: usize) {
    for _ in 0..times {
        let token = app.challenge_token(email).await;
        app.challenge(&token, "no code").await.refused(422, "invalid_two_factor_code");
    }
}

async fn a_challenge_token_dies_after_five_wrong_codes() {
    let app = without_account_limits().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    let recovery_codes = app.recovery_codes(&tokens.access).await;
    let token = app.challenge_token(EMAIL).await;
    for _ in 0..3 {
        app.challenge(&token, &authenticator.wrong_code(&app)).await.refused(422, "invalid_two_factor_code");
    }
    for _ in 0..2 {
        let refused = app.challenge_by_recovery_code(&token, "AAAAAAAAAA-AAAAAAAAAA").await;
        refused.refused(422, "invalid_recovery_code");
    }
    app.challenge(&token, &authenticator.code(&app)).await.refused(401, "invalid_challenge_token");
    let refused = app.challenge_by_recovery_code(&token, &recovery_codes[0]).await;
    refused.refused(401, "invalid_challenge_token");
    app.advance(299);
    let late = app.challenge(&token, &authenticator.code(&app)).await;
    late.refused(401, "invalid_challenge_token");
    let another = app.challenge_token(EMAIL).await;
    app.challenge(&another, &authenticator.code(&app)).await.expect(200);
    assert_eq!(app.recovery_codes(&tokens.access).await, recovery_codes);
}

async fn the_fifth_try_with_a_challenge_token_may_be_the_right_one() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    for _ in 0..4 {
        app.challenge(&token, &authenticator.wrong_code(&app)).await.expect(422);
    }
    app.challenge(&token, &authenticator.code(&app)).await.expect(200);
}

async fn of_thirty_wrong_codes_at_once_with_one_challenge_five_are_looked_at() {
    let app = without_account_limits().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let (token, wrong) = (app.challenge_token(EMAIL).await, authenticator.wrong_code(&app));
    let answers = at_once((0..30).map(|_| app.challenge(&token, &wrong).into_future())).await;
    assert_eq!(answers.iter().filter(|answer| answer.code() == "invalid_two_factor_code").count(), 5);
    assert_eq!(answers.iter().filter(|answer| answer.code() == "invalid_challenge_token").count(), 25);
}

async fn the_sixth_wrong_code_within_a_minute_is_refused_whatever_the_challenge() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    app.event_names::<4>().await;
    // Three logins, two wrong codes each: a new challenge is no new allowance.
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let token = app.challenge_token(EMAIL).await;
        for _ in 0..2 {
            statuses.push(app.challenge(&token, "no code").await.status);
        }
    }
    assert_eq!(statuses, [422, 422, 422, 422, 422, 429]);
    app.advance(20);
    let token = app.challenge_token(EMAIL).await;
    let right = authenticator.code(&app);
    let refused = app.challenge(&token, &right).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("40"));
    app.advance(39);
    app.challenge(&token, &authenticator.code(&app)).await.refused(429, "too_many_attempts");
    app.advance(1);
    app.challenge(&token, &authenticator.code(&app)).await.expect(200);
    let names: [_; 12] = app.event_names().await;
    assert_eq!(names.iter().filter(|name| **name == "auth.two-factor-failed").count(), 5);
    assert_eq!(names.iter().filter(|name| **name == "auth.lockout").count(), 1);
    assert_eq!(names[10..], ["auth.valid-two-factor-code", "auth.login"]);
}

async fn a_lockout_at_confirming_is_an_event_too() {
    let app = App::with_everything().await;
    let token = app.confirmed_session(EMAIL).await.access;
    app.enable(&token).await.expect(200);
    for _ in 0..5 {
        app.confirm_two_factor(&token, "no code").await.expect(422);
    }
    app.confirm_two_factor(&token, "no code").await.refused(429, "too_many_attempts");
    app.event_names::<3>().await;
    let event = app.event().await;
    assert_eq!(event.kind, EventKind::Lockout { attempt: AttemptKind::TwoFactor });
    assert_eq!(event.user_id.as_deref(), Some("1"));
}

async fn thirty_wrong_codes_an_hour_lock_the_second_factor() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    for _ in 0..6 {
        fail(&app, EMAIL, 5).await;
        app.advance(60);
    }
    let token = app.challenge_token(EMAIL).await;
    let refused = app.challenge(&token, &authenticator.code(&app)).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some((3600 - 360).to_string().as_str()));
    app.advance(3600 - 360);
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &authenticator.code(&app)).await.expect(200);
}

async fn thirty_wrong_codes_an_hour_are_those_of_all_clients() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    for client in 0..30 {
        let token = app.challenge_token(EMAIL).await;
        app.challenge(&token, "no code").from(&format!("203.0.113.{client}")).await.expect(422);
    }
    let token = app.challenge_token(EMAIL).await;
    let refused = app.challenge(&token, &authenticator.code(&app)).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("3600"));
}

async fn wrong_codes_at_confirming_and_at_the_challenge_are_one_count() {
    let app = App::with_everything().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    app.enable(&tokens.access).json(&json!({ "force": true })).await.expect(200);
    let new = app.authenticator(&tokens.access).await;
    let confirm = |code: &str| app.confirm_two_factor(&tokens.access, code);
    for _ in 0..3 {
        confirm("no code").await.refused(422, "invalid_two_factor_code");
    }
    fail(&app, EMAIL, 2).await;
    let refused = confirm(&new.code(&app)).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, "no code").await.refused(429, "too_many_attempts");
    app.advance(60);
    confirm(&new.code(&app)).await.expect(200);
}

async fn a_right_code_clears_the_accounts_own_count() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    for _ in 0..3 {
        fail(&app, EMAIL, 4).await;
        let token = app.challenge_token(EMAIL).await;
        app.challenge(&token, &authenticator.code(&app)).await.expect(200);
        app.next_step();
    }
    fail(&app, EMAIL, 4).await;
    let recovery_code = &app.recovery_codes(&tokens.access).await[0];
    let token = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&token, recovery_code).await.expect(200);
    fail(&app, EMAIL, 5).await;
}

/// Nobody gets fresh guesses at one account by what succeeds elsewhere: at another account, or with the password.
async fn nothing_else_clears_an_accounts_count() {
    let app = App::with_everything().await;
    let ada = app.enrolled(EMAIL).await;
    let eve = app.enrolled("eve@example.com").await;
    for recovery_code in &app.recovery_codes(&eve.tokens.access).await[..5] {
        fail(&app, EMAIL, 1).await;
        let token = app.challenge_token("eve@example.com").await;
        app.challenge_by_recovery_code(&token, recovery_code).await.expect(200);
        app.confirm_password(&ada.tokens.access).await;
    }
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, "no code").await.refused(429, "too_many_attempts");
}

async fn of_forty_wrong_codes_at_once_five_are_let_through() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    let mut calls = Vec::new();
    for _ in 0..40 {
        calls.push(app.challenge(&app.challenge_token(EMAIL).await, "no code").into_future());
    }
    let statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 422).count(), 5, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 35, "{statuses:?}");
}

async fn limits_are_what_the_configuration_says() {
    let mut limits = RateLimits::default();
    limits.two_factor = RateLimit::per_seconds(2, 10);
    let app = App::with_everything_and(|config| config.limits(limits), |module| module).await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    fail(&app, EMAIL, 2).await;
    let token = app.challenge_token(EMAIL).await;
    let refused = app.challenge(&token, &authenticator.code(&app)).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("10"));
    app.advance(10);
    app.challenge(&token, &authenticator.code(&app)).await.expect(200);
}

async fn a_token_that_is_none_costs_nobody_a_try() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    let forged = format!("{token}A");
    for _ in 0..10 {
        app.challenge(&forged, "no code").await.refused(401, "invalid_challenge_token");
    }
    app.challenge(&token, &authenticator.code(&app)).await.expect(200);
}
