//! How often mails are asked for, and codes are guessed at.

use super::{ask, begin, flow_of, verified, with_code};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL};
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::delivery::EmailLoginMessage;

on_both_routers![
    an_address_gets_five_mails_in_ten_minutes,
    a_client_asks_twenty_times_a_minute,
    a_client_that_the_account_knows_can_ask_although_strangers_have,
    an_address_without_an_account_has_limits_alike,
    wrong_codes_of_a_client_are_sixty_a_minute,
    a_hundred_wrong_codes_in_a_row_lock_out_strangers,
    confirmations_are_five_in_ten_minutes,
];

const OTHER: &str = "nobody@example.com";

async fn an_address_gets_five_mails_in_ten_minutes() {
    let app = App::with_everything().await;
    verified(&app, EMAIL).await;
    for number in 0..5 {
        ask(&app, EMAIL).from(&format!("203.0.113.{number}")).await.expect(200);
    }
    let refused = ask(&app, EMAIL).from("203.0.113.9").await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("600"));
    ask(&app, OTHER).await.expect(200);
    app.advance(600);
    ask(&app, EMAIL).await.expect(200);
}

async fn a_client_asks_twenty_times_a_minute() {
    let app = App::with_everything().await;
    for number in 0..20 {
        ask(&app, &format!("user{number}@example.com")).await.expect(200);
    }
    ask(&app, OTHER).await.refused(429, "too_many_attempts");
    ask(&app, OTHER).from("203.0.113.1").await.expect(200);
}

async fn a_client_that_the_account_knows_can_ask_although_strangers_have() {
    let app = App::with_everything().await;
    verified(&app, EMAIL).await;
    // A sign-in makes the client known.
    let begun = begin(&app, EMAIL).await;
    with_code(&app, &begun.flow, begun.code()).await.expect(200);
    app.auth.background_work_finished().await;
    for number in 0..5 {
        ask(&app, EMAIL).from(&format!("203.0.113.{number}")).await;
    }
    ask(&app, EMAIL).from("203.0.113.9").await.refused(429, "too_many_attempts");
    for _ in 0..5 {
        ask(&app, EMAIL).await.expect(200);
    }
    ask(&app, EMAIL).await.refused(429, "too_many_attempts");
}

async fn an_address_without_an_account_has_limits_alike() {
    let app = App::with_everything().await;
    for number in 0..5 {
        ask(&app, OTHER).from(&format!("203.0.113.{number}")).await.expect(200);
    }
    let refused = ask(&app, OTHER).from("203.0.113.9").await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("600"));
}

async fn wrong_codes_of_a_client_are_sixty_a_minute() {
    let mut limits = super::no_mail_limits();
    limits.consecutive_failures = RateLimit::per_seconds(1000, 60);
    let app = App::with_everything_and(|config| config.limits(limits), |module| module).await;
    let mut flow = String::new();
    for number in 0..60 {
        if number % 5 == 0 {
            flow = flow_of(&ask(&app, OTHER).await.expect(200));
        }
        with_code(&app, &flow, "00000000").await.refused(422, "invalid_login_code");
    }
    let flow = flow_of(&ask(&app, OTHER).await.expect(200));
    with_code(&app, &flow, "00000000").await.refused(429, "too_many_attempts");
    // It comes before the flow token is looked at.
    with_code(&app, "garbage", "00000000").await.refused(429, "too_many_attempts");
    with_code(&app, &flow, "00000000").from("203.0.113.1").await.refused(422, "invalid_login_code");
}

async fn a_hundred_wrong_codes_in_a_row_lock_out_strangers() {
    let mut limits: RateLimits = super::no_mail_limits();
    limits.email_code_client = RateLimit::per_seconds(1000, 60);
    for email in [EMAIL, OTHER] {
        let app = App::with_everything_and(|config| config.limits(limits), |module| module).await;
        if email == EMAIL {
            verified(&app, email).await;
            let begun = begin(&app, email).await;
            with_code(&app, &begun.flow, begun.code()).await.expect(200);
            app.auth.background_work_finished().await;
        }
        let stranger = "203.0.113.1";
        let mut last = String::new();
        for number in 0..100 {
            if number % 5 == 0 {
                last = flow_of(&ask(&app, email).from(stranger).await.expect(200));
            }
            with_code(&app, &last, "wrong").from(stranger).await.refused(422, "invalid_login_code");
        }
        let fresh = flow_of(&ask(&app, email).from(stranger).await.expect(200));
        with_code(&app, &fresh, "wrong").from(stranger).await.refused(429, "too_many_attempts");
        let refused = ask(&app, email).from("203.0.113.2").await.refused(429, "too_many_attempts");
        assert_eq!(refused.header("retry-after"), Some("86400"));
        if email == EMAIL {
            // The owner's client is known, and signs in.
            while app.outbox.take::<EmailLoginMessage>().is_some() {}
            let begun = begin(&app, email).await;
            with_code(&app, &begun.flow, begun.code()).await.expect(200);
        }
        app.advance(86_400);
        ask(&app, email).from("203.0.113.2").await.expect(200);
    }
}

async fn confirmations_are_five_in_ten_minutes() {
    let app = App::with_everything().await;
    let tokens = verified(&app, EMAIL).await;
    let request = || app.post("/auth/user/confirm-email").bearer(&tokens.access);
    for _ in 0..5 {
        request().await.expect(200);
    }
    request().await.refused(429, "too_many_attempts");
    app.advance(600);
    request().await.expect(200);
}
