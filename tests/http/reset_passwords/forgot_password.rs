//! `POST /forgot-password`: who is told what, and where the token goes.

use crate::support::answer::Answer;
use crate::support::providers::{Behaviour, faults};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, at_once, logs, reset_key, visible};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::repository::PasswordResetRepository;
use axum_auth_module::testing::{Fault, MemoryPasswordResets, ProviderMethod};
use axum_auth_module::{InResponse, StandardActions};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

on_both_routers![
    a_host_that_shuts_down_can_wait_for_the_mails,
    the_token_is_delivered_to_the_account_and_only_its_hash_is_stored,
    every_address_is_answered_alike_and_only_an_account_is_written_to,
    in_response_the_token_is_in_the_answer_and_nobody_else_can_tell_it_from_a_decoy,
    two_requests_within_a_moment_give_different_tokens,
    whatever_the_spelling_the_token_goes_to_the_stored_address,
    what_is_not_one_address_is_refused,
    an_address_is_heard_three_times_a_minute_whether_it_is_known_or_not,
    a_client_is_heard_twenty_times_a_minute,
    a_delivery_that_fails_or_panics_or_hangs_shows_in_no_answer,
    a_repository_that_breaks_or_hangs_shows_in_no_answer_and_nothing_is_delivered,
    no_token_is_in_a_log_or_an_event,
];

on_both_routers![threads: of_twenty_requests_at_once_three_are_let_through];

async fn forgot(app: &App, email: &str) -> Answer {
    app.post("/auth/forgot-password").json(&json!({ "email": email })).await
}

async fn in_response() -> App {
    let everything = App::with_everything_and(
        |config| config,
        |module| module.reset_passwords(MemoryPasswordResets::new(), StandardActions, InResponse),
    );
    everything.await
}

fn is_a_token(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

async fn the_token_is_delivered_to_the_account_and_only_its_hash_is_stored() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    let answer = forgot(&app, EMAIL).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    let message = app.outbox.next::<PasswordResetMessage>().await;
    assert_eq!((message.email.as_str(), message.name.as_str()), (EMAIL, "Ada"));
    assert!(is_a_token(&message.token), "{}", message.token);
    // Repositories store milliseconds.
    let now = axum_auth_module::clock::Clock::now(&app.clock).duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now.as_millis() as u64);
    assert_eq!(message.expires_at, now + Duration::from_secs(3600));
    let stored = app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().unwrap();
    assert_eq!(stored.created_at, now);
    assert!(stored.token.starts_with("$2b$"), "{}", stored.token);
    assert!(bcrypt::verify(&message.token, &stored.token).unwrap());
    assert!(app.outbox.is_empty());
}

async fn a_host_that_shuts_down_can_wait_for_the_mails() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    for _ in 0..3 {
        forgot(&app, EMAIL).await.expect(200);
    }
    app.auth.background_work_finished().await;
    for _ in 0..3 {
        assert!(app.outbox.take::<PasswordResetMessage>().is_some(), "no mail");
    }
}

async fn every_address_is_answered_alike_and_only_an_account_is_written_to() {
    let app = App::with_everything().await;
    for email in [EMAIL, "inactive@example.com", "gone@example.com"] {
        app.register(email).await;
    }
    app.users.update("inactive@example.com", |user| user.active = false);
    app.users.remove("gone@example.com");
    let unknown = forgot(&app, "unknown@example.com").await.expect(200);
    for email in ["inactive@example.com", "gone@example.com", "ada@example.org", EMAIL] {
        assert_eq!(visible(&forgot(&app, email).await), visible(&unknown), "{email}");
    }
    assert_eq!(app.outbox.next::<PasswordResetMessage>().await.email, EMAIL);
    assert!(app.outbox.is_empty());
    for email in ["unknown@example.com", "inactive@example.com", "gone@example.com"] {
        assert!(app.resets.find_by_email(&reset_key(email)).await.unwrap().is_none(), "{email}");
    }
}

async fn in_response_the_token_is_in_the_answer_and_nobody_else_can_tell_it_from_a_decoy() {
    let app = in_response().await;
    app.register(EMAIL).await;
    app.register("inactive@example.com").await;
    app.users.update("inactive@example.com", |user| user.active = false);
    let reset = |email: &str, token: &Value| {
        let password = "a new password for all";
        app.post("/auth/reset-password").json(&json!({
            "email": email, "token": token, "password": password, "passwordConfirmation": password,
        }))
    };
    let mut shapes = Vec::new();
    for email in ["unknown@example.com", "inactive@example.com", EMAIL] {
        let answer = forgot(&app, email).await.expect(200);
        assert_eq!(answer.members(), ["message", "token"]);
        let token = answer.body["token"].as_str().unwrap();
        assert!(is_a_token(token), "{token}");
        shapes.push((visible(&answer).1, answer.text.replace(token, "")));
        match email {
            EMAIL => reset(email, &answer.body["token"]).await.expect(200),
            _ => reset(email, &answer.body["token"]).await.refused(422, "invalid_reset_token"),
        };
    }
    assert!(shapes.iter().all(|shape| *shape == shapes[0]), "{shapes:?}");
    assert!(app.outbox.is_empty());
}

async fn two_requests_within_a_moment_give_different_tokens() {
    let app = in_response().await;
    app.register(EMAIL).await;
    for email in [EMAIL, "unknown@example.com"] {
        let (one, other) = (forgot(&app, email).await, forgot(&app, email).await);
        assert_ne!(one.body["token"], other.body["token"], "{email}");
    }
}

async fn whatever_the_spelling_the_token_goes_to_the_stored_address() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    for spelling in ["ADA@EXAMPLE.COM", "  Ada@Example.com\t"] {
        forgot(&app, spelling).await.expect(200);
        assert_eq!(app.outbox.next::<PasswordResetMessage>().await.email, EMAIL);
        assert!(app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().is_some());
    }
}

async fn what_is_not_one_address_is_refused() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    let errors = async |email: Value| {
        app.post("/auth/forgot-password").json(&json!({ "email": email })).await.field_errors()
    };
    for (email, error) in [
        (json!(null), "email: required"),
        (json!(" "), "email: required"),
        (json!(1), "email: wrong_type"),
        (json!([EMAIL]), "email: wrong_type"),
        (json!([EMAIL, "eve@example.com"]), "email: wrong_type"),
        (json!({ "email": EMAIL }), "email: wrong_type"),
        (json!("ada"), "email: invalid"),
        (json!("ada@example.com,eve@example.com"), "email: invalid"),
        (json!("ada@example.com;eve@example.com"), "email: invalid"),
        (json!("ada@example.com eve@example.com"), "email: invalid"),
        (json!("Ada <ada@example.com>"), "email: invalid"),
        (json!("ada@example.com\r\nBcc: eve@example.com"), "email: invalid"),
        (json!("ada@example.com\n"), "email: invalid"),
        (json!("ada@example.com\u{0}"), "email: invalid"),
        (json!("ada@ex\u{e4}mple.com"), "email: invalid"),
        (json!("\u{430}da@example.com"), "email: invalid"),
        (json!("ada\u{200b}@example.com"), "email: invalid"),
    ] {
        assert_eq!(errors(email.clone()).await, [error], "{email}");
    }
    assert_eq!(app.post("/auth/forgot-password").json(&json!({})).await.field_errors(), ["email: required"]);
    app.get("/auth/forgot-password").await.refused(405, "method_not_allowed");
    assert!(app.outbox.is_empty());
}

async fn an_address_is_heard_three_times_a_minute_whether_it_is_known_or_not() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    for (email, spelling) in [(EMAIL, " ADA@example.com"), ("unknown@example.com", "UNKNOWN@example.com ")] {
        for _ in 0..2 {
            forgot(&app, email).await.expect(200);
        }
        forgot(&app, spelling).await.expect(200);
        let refused = forgot(&app, email).await.refused(429, "too_many_attempts");
        assert_eq!(refused.header("retry-after"), Some("60"));
        let elsewhere = app.post("/auth/forgot-password").json(&json!({ "email": email })).from("192.0.2.2");
        elsewhere.await.refused(429, "too_many_attempts");
    }
    assert_eq!(app.post("/auth/forgot-password").json(&json!({})).await.status, 422, "fields come first");
    app.advance(60);
    forgot(&app, EMAIL).await.expect(200);
}

async fn a_client_is_heard_twenty_times_a_minute() {
    let app = App::with_everything().await;
    for n in 0..20 {
        forgot(&app, &format!("u{n}@example.com")).await.expect(200);
    }
    app.advance(20);
    let refused = forgot(&app, EMAIL).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("40"));
    let elsewhere = app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).from("192.0.2.2");
    elsewhere.await.expect(200);
    app.advance(40);
    forgot(&app, EMAIL).await.expect(200);
}

async fn of_twenty_requests_at_once_three_are_let_through() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    let call = || app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).into_future();
    let answers = at_once((0..20).map(|_| call())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 3);
    assert_eq!(answers.iter().filter(|answer| answer.status == 429).count(), 17);
}

async fn a_delivery_that_fails_or_panics_or_hangs_shows_in_no_answer() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    let unknown = forgot(&app, "unknown@example.com").await.expect(200);
    for broken in [Behaviour::FAIL, Behaviour::PANIC, Behaviour::HANG] {
        app.outbox.behaviour.set(broken);
        let answer = tokio::time::timeout(Duration::from_secs(5), forgot(&app, EMAIL));
        assert_eq!(visible(&answer.await.expect("an answer at once")), visible(&unknown));
    }
    app.outbox.behaviour.set(Behaviour::WELL);
    app.advance(60);
    forgot(&app, EMAIL).await.expect(200);
    assert_eq!(app.outbox.next::<PasswordResetMessage>().await.email, EMAIL);
}

async fn a_repository_that_breaks_or_hangs_shows_in_no_answer_and_nothing_is_delivered() {
    let faults = faults();
    let outbox = crate::support::providers::Outbox::default();
    let (provider, delivery) = (faults.over(MemoryPasswordResets::new()), outbox.clone());
    let app = App::with_everything_and(
        |config| config.request_timeout(Duration::from_secs(2)),
        |module| module.reset_passwords(provider, StandardActions, delivery),
    );
    let app = app.await;
    app.register(EMAIL).await;
    for fault in [Fault::Fails, Fault::Panics, Fault::Hangs] {
        faults.heal();
        faults.always(ProviderMethod::ResetsCreateToken, fault);
        faults.always(ProviderMethod::ResetsDeleteByEmail, fault);
        let known = forgot(&app, EMAIL).await.expect(200);
        let unknown = forgot(&app, "unknown@example.com").await.expect(200);
        assert_eq!(visible(&known), visible(&unknown));
        app.advance(60);
    }
    assert!(outbox.is_empty());
    faults.heal();
    faults.always(ProviderMethod::ResetsDeleteByEmail, Fault::Hangs);
    forgot(&app, EMAIL).await.expect(200);
    assert_eq!(outbox.next::<PasswordResetMessage>().await.email, EMAIL);
}

async fn no_token_is_in_a_log_or_an_event() {
    let app = App::with_everything().await;
    let email = "logged-reset@example.com";
    app.register(email).await;
    forgot(&app, email).await.expect(200);
    let token = app.outbox.next::<PasswordResetMessage>().await.token;
    let hash = app.resets.find_by_email(&reset_key(email)).await.unwrap().unwrap().token;
    let body = |token: &str| {
        let password = "a new password that only this test has";
        json!({ "email": email, "token": token, "password": password, "passwordConfirmation": password })
    };
    app.post("/auth/reset-password").json(&body("a wrong token of this test")).await.expect(422);
    app.post("/auth/reset-password").json(&body(&token)).await.expect(200);
    let events = [app.event().await, app.event().await];
    assert_eq!(
        events.each_ref().map(axum_auth_module::events::Event::name),
        ["auth.registered", "auth.password-reset"]
    );
    let (logs, events) = (logs::recorded(), format!("{events:?}"));
    for secret in [&token, &hash, "a wrong token of this test", "a new password that only this test has"] {
        let ours = |line: &&str| line.contains(" axum_auth_module: ") && line.contains(secret);
        assert_eq!(logs.lines().find(ours), None);
        assert!(!events.contains(secret), "{events}");
    }
    assert!(!events.contains(email), "{events}");
}
