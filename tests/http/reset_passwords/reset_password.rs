//! `POST /reset-password`: what a token opens, once, and what it takes with it. Providers that break on the way are in
//! `every_route::broken_providers`.

use crate::support::answer::Answer;
use crate::support::providers::Outbox;
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL, PASSWORD, at_once, reset_key, visible};
use axum_auth_module::actions::{ActionContext, ActionError, ResetsUserPasswords};
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::error::FieldErrors;
use axum_auth_module::repository::PasswordResetRepository;
use axum_auth_module::testing::MemoryPasswordResets;
use axum_auth_module::values::NewPassword;
use axum_auth_module::{AuthModuleBuilder, StandardActions, async_trait};
use serde_json::{Value, json};
use std::time::Duration;

on_both_routers![
    a_token_sets_a_new_password_and_gives_no_tokens,
    every_session_of_the_user_ends_and_nobody_elses,
    a_reset_takes_the_place_of_the_password_and_not_of_the_second_factor,
    the_address_of_a_token_may_come_in_any_spelling,
    a_token_works_once,
    only_the_newest_token_of_an_address_works,
    a_token_lives_for_sixty_minutes_to_the_millisecond,
    a_token_lives_as_long_as_the_configuration_says,
    a_token_opens_the_account_of_its_address_alone,
    a_token_that_is_not_exactly_the_one_is_refused,
    a_token_of_a_former_address_is_worthless,
    a_token_of_a_user_who_is_gone_or_inactive_looks_like_a_wrong_one,
    everything_wrong_with_the_fields_is_said_at_once,
    five_wrong_tokens_a_minute_lock_an_address_whether_it_is_known_or_not,
    a_success_forgets_the_failures_of_its_address_alone,
    a_client_may_try_twenty_resets_a_minute_over_all_addresses,
    a_token_whose_password_the_action_refuses_stays_valid,
];

on_both_routers![
    threads:
    of_twenty_uses_at_once_one_succeeds,
    of_twenty_guesses_at_once_five_are_let_through,
];

pub(crate) const NEW: &str = "a new password for all";
const EVE: &str = "eve@example.com";

pub(crate) fn reset(app: &App, email: &str, token: &str, password: &str) -> Call {
    let body =
        json!({ "email": email, "token": token, "password": password, "passwordConfirmation": password });
    app.post("/auth/reset-password").json(&body)
}

/// A token for the address, taken out of what was delivered.
pub(crate) async fn token(app: &App, outbox: &Outbox, email: &str) -> String {
    app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
    outbox.next::<PasswordResetMessage>().await.token
}

/// A host with a user and a token for that user.
async fn with_token() -> (App, String) {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    (app, token)
}

pub(crate) fn is_invalid(answer: Answer) {
    answer.refused(422, "invalid_reset_token");
}

async fn a_token_sets_a_new_password_and_gives_no_tokens() {
    let (app, token) = with_token().await;
    let answer = reset(&app, EMAIL, &token, NEW).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    assert!(app.users.by_email(EMAIL).unwrap().password.starts_with("$2b$04$"));
    assert!(app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().is_none());
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    app.login_call(EMAIL, NEW).await.expect(200);
    let [_registered, event] = [app.event().await, app.event().await];
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.password-reset", Some("1")));
    assert_eq!(event.client, Some("192.0.2.1".parse().unwrap()));
    let names: [_; 4] = app.event_names().await;
    let [verified, reclaimed] = ["auth.email-verified", "auth.account-reclaimed"];
    assert_eq!(names, [verified, reclaimed, "auth.login-failed", "auth.login"]);
}

async fn every_session_of_the_user_ends_and_nobody_elses() {
    let app = App::with_everything().await;
    let (first, eve) = (app.register(EMAIL).await, app.register(EVE).await);
    let second = app.login(EMAIL).await;
    let renewed = app.renew(&second).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    for tokens in [&first, &second, &renewed] {
        app.is_over(tokens).await;
    }
    app.me(&eve.access).await.expect(200);
    app.renew(&eve).await;
    // The clock has not moved: a session that begins right after the end is not one of those that ended.
    let tokens = app.login_call(EMAIL, NEW).await.expect(200).tokens();
    app.me(&tokens.access).await.expect(200);
    app.get("/claims").bearer(&tokens.access).await.expect(200);
    app.renew(&tokens).await;
}

async fn a_reset_takes_the_place_of_the_password_and_not_of_the_second_factor() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let challenge = app.challenge_token(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    let answer = app.login_call(EMAIL, NEW).await.expect(200);
    assert_eq!(answer.members_beside_the_challenge(), ["methods", "twoFactor"]);
    app.challenge(&challenge, "000000").await.refused(401, "invalid_challenge_token");
}

async fn the_address_of_a_token_may_come_in_any_spelling() {
    let (app, token) = with_token().await;
    reset(&app, "  ADA@Example.COM ", &token, NEW).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
}

async fn a_token_works_once() {
    let (app, token) = with_token().await;
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    is_invalid(reset(&app, EMAIL, &token, "yet another password").await);
    app.login_call(EMAIL, NEW).await.expect(200);
}

async fn of_twenty_uses_at_once_one_succeeds() {
    let (app, token) = with_token().await;
    let password = |n: usize| format!("the new password no. {n}");
    let calls = (0..20).map(|n| reset(&app, EMAIL, &token, &password(n)).into_future());
    let answers = at_once(calls).await;
    let winners: Vec<_> = (0..20).filter(|n| answers[*n].status == 200).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        assert!(matches!(answer.code(), "invalid_reset_token" | "too_many_attempts"), "{}", answer.text);
    }
    app.login_call(EMAIL, &password(winners[0])).await.expect(200);
    let mut resets = 0;
    loop {
        match app.event().await.name() {
            "auth.password-reset" => resets += 1,
            "auth.login" => break,
            _ => {}
        }
    }
    assert_eq!(resets, 1);
}

async fn only_the_newest_token_of_an_address_works() {
    let (app, first) = with_token().await;
    app.advance(600);
    let second = token(&app, &app.outbox, EMAIL).await;
    is_invalid(reset(&app, EMAIL, &first, NEW).await);
    reset(&app, EMAIL, &second, NEW).await.expect(200);
}

async fn a_token_lives_for_sixty_minutes_to_the_millisecond() {
    let (app, first) = with_token().await;
    app.advance(3600);
    reset(&app, EMAIL, &first, NEW).await.refused(422, "expired_reset_token");
    is_invalid(reset(&app, EMAIL, &"0".repeat(64), NEW).await);
    let second = token(&app, &app.outbox, EMAIL).await;
    app.clock.advance(Duration::from_millis(3_599_999));
    reset(&app, EMAIL, &second, NEW).await.expect(200);
}

async fn a_token_lives_as_long_as_the_configuration_says() {
    let lifetime = Duration::from_secs(600);
    let config = |config: AuthConfigBuilder| config.reset_token_lifetime(lifetime);
    let app = App::with_everything_and(config, |module| module).await;
    app.register(EMAIL).await;
    let expired = token(&app, &app.outbox, EMAIL).await;
    app.advance(600);
    reset(&app, EMAIL, &expired, NEW).await.refused(422, "expired_reset_token");
    let valid = token(&app, &app.outbox, EMAIL).await;
    app.advance(599);
    reset(&app, EMAIL, &valid, NEW).await.expect(200);
}

async fn a_token_opens_the_account_of_its_address_alone() {
    let (app, adas) = with_token().await;
    app.register(EVE).await;
    is_invalid(reset(&app, EVE, &adas, NEW).await);
    let eves = token(&app, &app.outbox, EVE).await;
    is_invalid(reset(&app, EVE, &adas, NEW).await);
    is_invalid(reset(&app, EMAIL, &eves, NEW).await);
    is_invalid(reset(&app, "unknown@example.com", &adas, NEW).await);
    reset(&app, EMAIL, &adas, NEW).await.expect(200);
    app.login(EVE).await;
    reset(&app, EVE, &eves, NEW).await.expect(200);
}

async fn a_token_that_is_not_exactly_the_one_is_refused() {
    let (app, token) = with_token().await;
    let stored = app.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().unwrap().token;
    let mut other_end = token.clone();
    other_end.replace_range(63.., if token.ends_with('0') { "1" } else { "0" });
    let broken = [
        other_end,
        token[..63].to_owned(),
        format!("{token}0"),
        // Longer than bcrypt reads, and cyclic as its key is.
        format!("{token}\0{token}"),
        format!("{token}{}", "0".repeat(1_000)),
        format!(" {token}"),
        stored,
        "x".to_owned(),
    ];
    for broken in broken {
        is_invalid(reset(&app, EMAIL, &broken, NEW).await);
        app.advance(60);
    }
    reset(&app, EMAIL, &token, NEW).await.expect(200);
}

async fn a_token_of_a_former_address_is_worthless() {
    let (app, token) = with_token().await;
    app.users.update(EMAIL, |user| user.email = "lovelace@example.com".to_owned());
    is_invalid(reset(&app, EMAIL, &token, NEW).await);
    is_invalid(reset(&app, "lovelace@example.com", &token, NEW).await);
}

async fn a_token_of_a_user_who_is_gone_or_inactive_looks_like_a_wrong_one() {
    let (app, token) = with_token().await;
    let wrong = reset(&app, EMAIL, "wrong", NEW).await.refused(422, "invalid_reset_token");
    let unknown = reset(&app, "unknown@example.com", &token, NEW).await;
    assert_eq!(visible(&unknown), visible(&wrong));
    app.users.update(EMAIL, |user| user.active = false);
    assert_eq!(visible(&reset(&app, EMAIL, &token, NEW).await), visible(&wrong));
    app.users.update(EMAIL, |user| user.active = true);
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(bcrypt::verify(PASSWORD, &user.password).unwrap());
    app.users.remove(EMAIL);
    assert_eq!(visible(&reset(&app, EMAIL, &token, NEW).await), visible(&wrong));
}

async fn everything_wrong_with_the_fields_is_said_at_once() {
    let (app, token) = with_token().await;
    let errors = async |body: Value| app.post("/auth/reset-password").json(&body).await.field_errors();
    let required =
        ["email: required", "token: required", "password: required", "passwordConfirmation: required"];
    assert_eq!(errors(json!({})).await, required);
    let wrong_types = json!({ "email": [EMAIL], "token": 1, "password": {}, "passwordConfirmation": true });
    assert_eq!(
        errors(wrong_types).await,
        [
            "email: wrong_type",
            "token: wrong_type",
            "password: wrong_type",
            "passwordConfirmation: wrong_type"
        ]
    );
    let wrong = json!({ "email": "ada", "token": "", "password": "short", "passwordConfirmation": "shirt" });
    assert_eq!(
        errors(wrong).await,
        ["email: invalid", "token: required", "password: too_short", "passwordConfirmation: mismatch"]
    );
    let long = "x".repeat(73);
    for (password, error) in [
        (long.as_str(), "password: too_long"),
        ("1234567\0", "password: invalid"),
        ("", "password: required"),
    ] {
        assert_eq!(reset(&app, EMAIL, &token, password).await.field_errors(), [error]);
    }
    reset(&app, EMAIL, &token, &long[1..]).await.expect(200);
    app.get("/auth/reset-password").await.refused(405, "method_not_allowed");
}

async fn five_wrong_tokens_a_minute_lock_an_address_whether_it_is_known_or_not() {
    let (app, token) = with_token().await;
    for email in [EMAIL, "unknown@example.com"] {
        for _ in 0..5 {
            is_invalid(reset(&app, email, "wrong", NEW).await);
        }
        let refused = reset(&app, email, &token, NEW).await.refused(429, "too_many_attempts");
        assert_eq!(refused.header("retry-after"), Some("60"));
    }
    assert_eq!(app.event_names().await, ["auth.registered", "auth.lockout", "auth.lockout"]);
    app.advance(60);
    reset(&app, EMAIL, &token, NEW).await.expect(200);
}

async fn a_success_forgets_the_failures_of_its_address_alone() {
    let (app, token) = with_token().await;
    for email in [EMAIL, EVE] {
        for _ in 0..4 {
            is_invalid(reset(&app, email, "wrong", NEW).await);
        }
    }
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    for _ in 0..5 {
        is_invalid(reset(&app, EMAIL, "wrong", NEW).await);
    }
    is_invalid(reset(&app, EVE, "wrong", NEW).await);
    reset(&app, EVE, "wrong", NEW).await.refused(429, "too_many_attempts");
}

async fn a_client_may_try_twenty_resets_a_minute_over_all_addresses() {
    let (app, token) = with_token().await;
    for n in 0..20 {
        is_invalid(reset(&app, &format!("u{n}@example.com"), "wrong", NEW).await);
    }
    let refused = reset(&app, EMAIL, &token, NEW).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    reset(&app, EMAIL, &token, NEW).from("192.0.2.2").await.expect(200);
    app.advance(60);
    is_invalid(reset(&app, EMAIL, "wrong", NEW).await);
}

async fn of_twenty_guesses_at_once_five_are_let_through() {
    let (app, _) = with_token().await;
    let calls = (0..20).map(|n| reset(&app, EMAIL, &format!("{n:064}"), NEW).into_future());
    let answers = at_once(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 422).count(), 5);
    assert_eq!(answers.iter().filter(|answer| answer.status == 429).count(), 15);
}

/// Wants no password with the company's name.
struct NoCompanyName;

#[async_trait]
impl<U: axum_auth_module::AuthUser> ResetsUserPasswords<U> for NoCompanyName {
    async fn reset(
        &self,
        user: &U,
        password: &NewPassword,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError> {
        if password.as_password().expose().contains("acme") {
            return Err(FieldErrors::one("password", "company_name", "Choose another password.").into());
        }
        StandardActions.reset(user, password, context).await
    }
}

async fn a_token_whose_password_the_action_refuses_stays_valid() {
    let (resets, outbox) = (MemoryPasswordResets::new(), Outbox::default());
    let delivery = outbox.clone();
    let module = |module: AuthModuleBuilder<_>| module.reset_passwords(resets, NoCompanyName, delivery);
    let app = App::with_everything_and(|config| config, module).await;
    app.register(EMAIL).await;
    let token = token(&app, &outbox, EMAIL).await;
    for _ in 0..6 {
        let refused = reset(&app, EMAIL, &token, "we love acme").await;
        assert_eq!(refused.field_errors(), ["password: company_name"]);
    }
    app.login(EMAIL).await;
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login", "auth.password-reset"]);
}
