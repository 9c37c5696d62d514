//! `POST /email/verification-notification`, and what its link does. Links that are not what was sent are in
//! `links`.

use crate::support::answer::Answer;
use crate::support::providers::{Behaviour, OvertakenUsers};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, Tokens, at_once, logs, memory_users, visible};
use axum_auth_module::InResponse;
use axum_auth_module::clock::Clock;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::delivery::{EmailVerificationMessage, VerificationData};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

on_both_routers![
    a_link_is_delivered_to_the_stored_address_and_is_not_in_the_answer,
    a_link_verifies_the_address_once_and_may_be_opened_again,
    an_address_that_another_request_verifies_meanwhile_is_no_second_event,
    in_response_the_parts_are_in_the_answer,
    nothing_is_made_for_an_address_that_is_verified,
    a_link_lives_for_an_hour_to_the_second,
    a_link_lives_as_long_as_the_configuration_says,
    a_head_request_verifies_nothing,
    both_routes_need_a_token_before_anything_else,
    a_notification_takes_no_body_and_an_empty_one,
    an_account_may_ask_six_times_a_minute_verified_or_not,
    a_delivery_that_fails_or_panics_or_hangs_shows_in_no_answer,
    a_save_that_fails_verifies_nothing_and_emits_nothing,
];

on_both_routers![threads: of_twenty_openings_at_once_one_is_an_event];

const EVE: &str = "eve@example.com";

async fn notify(app: &App, access: &str) -> Answer {
    app.post("/auth/email/verification-notification").bearer(access).await
}

pub(crate) async fn open(app: &App, access: &str, link: &str) -> Answer {
    app.get(link).bearer(access).await
}

/// A host with a user, and a link that was delivered to that user.
pub(super) async fn with_link() -> (App, Tokens, VerificationData) {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let link = link(&app, &tokens).await;
    (app, tokens, link)
}

pub(crate) async fn link(app: &App, tokens: &Tokens) -> VerificationData {
    notify(app, &tokens.access).await.expect(200);
    app.outbox.next::<EmailVerificationMessage>().await.data
}

pub(super) fn verified(app: &App) -> Option<SystemTime> {
    app.users.by_email(EMAIL).unwrap().email_verified_at
}

fn is_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

async fn a_link_is_delivered_to_the_stored_address_and_is_not_in_the_answer() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let answer = notify(&app, &tokens.access).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    let message = app.outbox.next::<EmailVerificationMessage>().await;
    assert_eq!((message.email.as_str(), message.name.as_str()), (EMAIL, "Ada"));
    let data = message.data;
    assert_eq!(data.id, "1");
    assert!(is_hex(&data.hash) && is_hex(&data.signature), "{} {}", data.hash, data.signature);
    let now = app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(data.expires, now + 3600);
    assert_eq!(message.expires_at, UNIX_EPOCH + Duration::from_secs(data.expires));
    assert!(app.outbox.is_empty());
}

async fn a_link_verifies_the_address_once_and_may_be_opened_again() {
    let (app, tokens, link) = with_link().await;
    let answer = open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    let first = verified(&app).unwrap();
    assert!(app.clock.now().duration_since(first).unwrap() < Duration::from_secs(1));
    app.advance(60);
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
    assert_eq!(verified(&app), Some(first));
    app.login(EMAIL).await;
    let [_registered, event] = [app.event().await, app.event().await];
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.email-verified", Some("1")));
    assert_eq!(event.client, Some("192.0.2.1".parse().unwrap()));
    assert_eq!(app.event().await.name(), "auth.login");
}

async fn of_twenty_openings_at_once_one_is_an_event() {
    let (app, tokens, link) = with_link().await;
    let path = link.path("/auth");
    let calls = (0..20).map(|_| app.get(&path).bearer(&tokens.access).into_future());
    for answer in at_once(calls).await {
        answer.expect(200);
    }
    app.login(EMAIL).await;
    assert_eq!(app.event_names().await, ["auth.registered", "auth.email-verified", "auth.login"]);
}

async fn an_address_that_another_request_verifies_meanwhile_is_no_second_event() {
    let users = memory_users();
    let repository = OvertakenUsers::over(users.clone());
    let before_save = repository.before_save.clone();
    let app = App::with_everything_on(repository, users.clone(), |config| config, |module| module).await;
    let tokens = app.register(EMAIL).await;
    let link = link(&app, &tokens).await;
    before_save.set(move |_| {
        users.update(EMAIL, |user| user.email_verified_at = Some(UNIX_EPOCH));
    });
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
    assert_eq!(verified(&app), Some(UNIX_EPOCH));
    app.login(EMAIL).await;
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login"]);
}

async fn in_response_the_parts_are_in_the_answer() {
    let module = |module: axum_auth_module::AuthModuleBuilder<_>| module.email_verification(InResponse);
    let app = App::with_everything_and(|config| config, module).await;
    let tokens = app.register(EMAIL).await;
    let answer = notify(&app, &tokens.access).await.expect(200);
    assert_eq!(answer.members(), ["expires", "hash", "id", "message", "signature"]);
    let part = |name: &str| answer.body[name].as_str().unwrap();
    assert_eq!(part("id"), "1");
    let (hash, signature, expires) = (part("hash"), part("signature"), answer.body["expires"].as_u64());
    let path = format!("/auth/email/verify/1/{hash}?signature={signature}&expires={}", expires.unwrap());
    open(&app, &tokens.access, &path).await.expect(200);
    assert!(verified(&app).is_some() && app.outbox.is_empty());
    assert_eq!(notify(&app, &tokens.access).await.expect(200).members(), ["message"]);
}

async fn nothing_is_made_for_an_address_that_is_verified() {
    let (app, tokens, link) = with_link().await;
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
    let eve = app.register(EVE).await;
    assert_eq!(notify(&app, &tokens.access).await.expect(200).members(), ["message"]);
    notify(&app, &eve.access).await.expect(200);
    assert_eq!(app.outbox.next::<EmailVerificationMessage>().await.email, EVE);
    assert!(app.outbox.is_empty());
}

async fn a_link_lives_for_an_hour_to_the_second() {
    let (app, tokens, link) = with_link().await;
    let end = UNIX_EPOCH + Duration::from_secs(link.expires);
    app.clock.set(end);
    let tokens = app.renew(&tokens).await;
    let expired = open(&app, &tokens.access, &link.path("/auth")).await;
    expired.refused(422, "expired_verification_link");
    assert_eq!(verified(&app), None);
    app.clock.set(end - Duration::from_millis(1));
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
}

async fn a_link_lives_as_long_as_the_configuration_says() {
    let ten_minutes = Duration::from_secs(600);
    let config = |config: AuthConfigBuilder| config.verification_link_lifetime(ten_minutes);
    let app = App::with_everything_and(config, |module| module).await;
    let tokens = app.register(EMAIL).await;
    let link = link(&app, &tokens).await;
    let end = UNIX_EPOCH + Duration::from_secs(link.expires);
    app.clock.set(end);
    open(&app, &tokens.access, &link.path("/auth")).await.refused(422, "expired_verification_link");
    app.clock.set(end - Duration::from_millis(1));
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
}

async fn a_head_request_verifies_nothing() {
    let (app, tokens, link) = with_link().await;
    for method in ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"] {
        let call = app.request(method.parse().unwrap(), &link.path("/auth"));
        let answer = call.bearer(&tokens.access).await.expect(405);
        assert_eq!(answer.header("allow"), Some("GET"), "{method}");
    }
    assert_eq!(verified(&app), None);
    app.get("/auth/email/verification-notification").await.refused(405, "method_not_allowed");
}

async fn both_routes_need_a_token_before_anything_else() {
    let (app, tokens, link) = with_link().await;
    app.get(&link.path("/auth")).await.refused(401, "unauthenticated");
    app.get("/auth/email/verify/%FF/x").await.refused(401, "unauthenticated");
    app.post("/auth/email/verification-notification").await.refused(401, "unauthenticated");
    app.users.update(EMAIL, |user| user.active = false);
    open(&app, &tokens.access, &link.path("/auth")).await.refused(401, "unauthenticated");
    notify(&app, &tokens.access).await.refused(401, "unauthenticated");
    app.users.remove(EMAIL);
    open(&app, &tokens.access, &link.path("/auth")).await.refused(401, "unauthenticated");
}

async fn a_notification_takes_no_body_and_an_empty_one() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let call = || app.post("/auth/email/verification-notification").bearer(&tokens.access);
    call().await.expect(200);
    call().body("application/json", "").await.expect(200);
    call().body("application/json", "{}").await.expect(200);
}

async fn an_account_may_ask_six_times_a_minute_verified_or_not() {
    let (app, tokens, link) = with_link().await;
    for n in 1..6 {
        notify(&app, &tokens.access).await.expect(200);
        if n == 3 {
            open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
        }
    }
    let refused = notify(&app, &tokens.access).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    let other_session = app.login(EMAIL).await;
    notify(&app, &other_session.access).await.refused(429, "too_many_attempts");
    let eve = app.register(EVE).await;
    notify(&app, &eve.access).await.expect(200);
    app.advance(60);
    notify(&app, &tokens.access).await.expect(200);
}

async fn a_delivery_that_fails_or_panics_or_hangs_shows_in_no_answer() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let well = notify(&app, &tokens.access).await.expect(200);
    app.outbox.next::<EmailVerificationMessage>().await;
    for broken in [Behaviour::FAIL, Behaviour::PANIC, Behaviour::HANG] {
        app.outbox.behaviour.set(broken);
        let answer = tokio::time::timeout(Duration::from_secs(5), notify(&app, &tokens.access));
        assert_eq!(visible(&answer.await.expect("an answer at once")), visible(&well));
    }
    app.outbox.behaviour.set(Behaviour::WELL);
    let link = link(&app, &tokens).await;
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
    let ours = |line: &&str| line.contains(" axum_auth_module: ") && line.contains(&link.signature);
    assert_eq!(logs::recorded().lines().find(ours), None);
}

async fn a_save_that_fails_verifies_nothing_and_emits_nothing() {
    let users = memory_users();
    let repository = OvertakenUsers::over(users.clone());
    let before_save = repository.before_save.clone();
    let app = App::with_everything_on(repository, users, |config| config, |module| module).await;
    let tokens = app.register(EMAIL).await;
    let link = link(&app, &tokens).await;
    before_save.set(|_| panic!("a repository that panics"));
    open(&app, &tokens.access, &link.path("/auth")).await.refused(500, "internal_error");
    assert_eq!(verified(&app), None);
    before_save.set(|_| {});
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.email-verified"]);
}
