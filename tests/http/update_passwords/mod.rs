//! `PUT /user/password`: who may, and what becomes of the sessions.

mod first;
mod limits;

use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::providers::{Behaviour, CAUSE, FaultyActions};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, Tokens, at_once, forge};
use axum_auth_module::actions::{ActionContext, ActionError, PasswordUpdateData, UpdatesUserPasswords};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::UpdatePasswordsService;
use axum_auth_module::user::{UserChange, UserPatch};
use axum_auth_module::{StandardActions, async_trait};
use serde_json::{Value, json};
use std::time::Duration;

on_both_routers![
    a_new_password_is_stored_as_a_hash_and_is_an_event,
    the_other_sessions_end_and_the_acting_one_goes_on_with_the_fresh_pair,
    the_password_may_be_changed_again_and_again,
    a_session_that_begins_at_the_moment_of_the_change_lives,
    a_wrong_current_password_changes_nothing,
    an_action_need_not_check_the_current_password,
    wrong_passwords_count_together_with_failed_confirmations,
    a_success_of_either_forgets_the_failures_of_both,
    everything_wrong_with_the_fields_is_said_at_once_and_the_action_is_not_called,
    a_longest_password_is_compared_whole,
    a_password_that_the_action_refuses_is_no_attempt_and_ends_nothing,
    an_action_that_breaks_changes_nothing,
    an_action_that_fails_after_it_has_written_leaves_no_session_of_before,
    the_route_needs_a_token_before_anything_else,
];

on_both_routers![
    threads:
    of_twenty_guesses_at_once_five_are_let_through,
    of_twenty_changes_at_once_from_the_same_password_one_wins,
];

const NEW: &str = "a new password for all";
const PATH: &str = "/auth/user/password";

fn change(app: &App, tokens: &Tokens, current: &str, password: &str) -> Call {
    let body = json!({ "currentPassword": current, "password": password, "passwordConfirmation": password });
    app.put(PATH).bearer(&tokens.access).json(&body)
}

async fn confirm(app: &App, tokens: &Tokens, password: &str) -> Answer {
    let call = app.post("/auth/user/confirm-password").bearer(&tokens.access);
    call.json(&json!({ "password": password })).await
}

async fn with_user() -> (App, Tokens) {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    (app, tokens)
}

async fn with_action<A: UpdatesUserPasswords<Account>>(action: A) -> (App, Tokens) {
    let app = App::with_everything_and(
        |config| config.request_timeout(Duration::from_secs(1)),
        |module| module.update_passwords(action),
    );
    let app = app.await;
    let tokens = app.register(EMAIL).await;
    (app, tokens)
}

async fn a_new_password_is_stored_as_a_hash_and_is_an_event() {
    let (app, tokens) = with_user().await;
    let answer = change(&app, &tokens, PASSWORD, NEW).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["message"]);
    assert!(app.users.by_email(EMAIL).unwrap().password.starts_with("$2b$04$"));
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    app.login_call(EMAIL, NEW).await.expect(200);
    let [_registered, event] = [app.event().await, app.event().await];
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.password-updated", Some("1")));
    assert_eq!(event.client, Some("192.0.2.1".parse().unwrap()));
    assert_eq!(app.event_names().await, ["auth.login-failed", "auth.login"]);
}

async fn the_other_sessions_end_and_the_acting_one_goes_on_with_the_fresh_pair() {
    let (app, other) = with_user().await;
    let acting = app.login(EMAIL).await;
    let eve = app.register("eve@example.com").await;
    let fresh = change(&app, &acting, PASSWORD, NEW).await.expect(200).tokens();
    app.is_over(&other).await;
    assert_eq!(forge::claims(&fresh.access)["sid"], forge::claims(&acting.access)["sid"]);
    app.me(&acting.access).await.refused(401, "unauthenticated");
    change(&app, &acting, NEW, PASSWORD).await.refused(401, "unauthenticated");
    app.is_refused(&acting).await;
    // None of these attempts has harmed the session that goes on, nor anybody else's.
    app.me(&fresh.access).await.expect(200);
    app.get("/claims").bearer(&fresh.access).await.expect(200);
    app.me(&eve.access).await.expect(200);
    app.renew(&eve).await;
}

#[tokio::test]
async fn the_fresh_pair_is_refreshed_like_any_other() {
    let (app, tokens) = with_user().await;
    let renewed = app.renew(&tokens).await;
    let fresh = change(&app, &renewed, PASSWORD, NEW).await.expect(200).tokens();
    let mut last = fresh.clone();
    for _ in 0..3 {
        app.advance(600);
        last = app.renew(&last).await;
        app.me(&last.access).await.expect(200);
    }
    for former in [&tokens, &renewed] {
        app.refresh(&former.refresh).await.refused(401, "invalid_refresh_token");
    }
    app.me(&last.access).await.expect(200);
    app.refresh(&fresh.refresh).await.refused(401, "refresh_token_reused");
    app.is_over(&last).await;
}

async fn the_password_may_be_changed_again_and_again() {
    let (app, mut tokens) = with_user().await;
    let first = tokens.clone();
    for (current, password) in [(PASSWORD, NEW), (NEW, PASSWORD), (PASSWORD, NEW)] {
        tokens = change(&app, &tokens, current, password).await.expect(200).tokens();
        app.me(&tokens.access).await.expect(200);
    }
    app.me(&first.access).await.refused(401, "unauthenticated");
    app.renew(&tokens).await;
}

async fn a_session_that_begins_at_the_moment_of_the_change_lives() {
    let (app, tokens) = with_user().await;
    change(&app, &tokens, PASSWORD, NEW).await.expect(200);
    let next = app.login_call(EMAIL, NEW).await.expect(200).tokens();
    app.me(&next.access).await.expect(200);
    app.get("/claims").bearer(&next.access).await.expect(200);
}

async fn a_wrong_current_password_changes_nothing() {
    let (app, tokens) = with_user().await;
    for wrong in ["wrong", &PASSWORD.to_uppercase(), &format!("{PASSWORD}\0"), &"x".repeat(10_000)] {
        change(&app, &tokens, wrong, NEW).await.refused(422, "incorrect_password");
    }
    app.me(&tokens.access).await.expect(200);
    app.login(EMAIL).await;
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login"]);
}

async fn wrong_passwords_count_together_with_failed_confirmations() {
    let (app, tokens) = with_user().await;
    for _ in 0..3 {
        change(&app, &tokens, "wrong", NEW).await.refused(422, "incorrect_password");
    }
    for _ in 0..2 {
        confirm(&app, &tokens, "wrong").await.refused(422, "incorrect_password");
    }
    let refused = change(&app, &tokens, PASSWORD, NEW).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    confirm(&app, &tokens, PASSWORD).await.refused(429, "too_many_attempts");
    // Another client has a count of its own; thirty in an hour are those of all clients.
    let elsewhere = change(&app, &tokens, "wrong", NEW).from("203.0.113.1");
    elsewhere.await.refused(422, "incorrect_password");
    let [_registered, lockout] = [app.event().await, app.event().await];
    assert_eq!((lockout.name(), lockout.user_id.as_deref()), ("auth.lockout", Some("1")));
    let eve = app.register("eve@example.com").await;
    change(&app, &eve, PASSWORD, NEW).await.expect(200);
    app.advance(60);
    change(&app, &tokens, PASSWORD, NEW).await.expect(200);
}

async fn a_success_of_either_forgets_the_failures_of_both() {
    let (app, tokens) = with_user().await;
    let fail = async |tokens: &Tokens| {
        for _ in 0..2 {
            change(&app, tokens, "wrong", NEW).await.refused(422, "incorrect_password");
            confirm(&app, tokens, "wrong").await.refused(422, "incorrect_password");
        }
    };
    fail(&tokens).await;
    confirm(&app, &tokens, PASSWORD).await.expect(200);
    fail(&tokens).await;
    let fresh = change(&app, &tokens, PASSWORD, NEW).await.expect(200).tokens();
    fail(&fresh).await;
    confirm(&app, &fresh, NEW).await.expect(200);
}

async fn of_twenty_guesses_at_once_five_are_let_through() {
    let (app, tokens) = with_user().await;
    let calls = (0..20).map(|n| change(&app, &tokens, &format!("guess {n}"), NEW).into_future());
    let answers = at_once(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 422).count(), 5);
    assert_eq!(answers.iter().filter(|answer| answer.status == 429).count(), 15);
}

async fn of_twenty_changes_at_once_from_the_same_password_one_wins() {
    let (app, tokens) = with_user().await;
    let password = |n: usize| format!("the new password no. {n}");
    let calls = (0..20).map(|n| change(&app, &tokens, PASSWORD, &password(n)).into_future());
    let answers = at_once(calls).await;
    let winners: Vec<_> = (0..20).filter(|n| answers[*n].status == 200).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    for (n, answer) in answers.into_iter().enumerate() {
        match answer.status {
            200 => {
                let fresh = answer.tokens();
                app.me(&fresh.access).await.expect(200);
                app.renew(&fresh).await;
                app.login_call(EMAIL, &password(n)).await.expect(200);
            }
            // The loser's password is not the current one any more, or its token is not.
            422 => assert_eq!(answer.code(), "incorrect_password"),
            429 => assert_eq!(answer.code(), "too_many_attempts"),
            _ => drop(answer.refused(401, "unauthenticated")),
        }
    }
}

async fn everything_wrong_with_the_fields_is_said_at_once_and_the_action_is_not_called() {
    let action = FaultyActions::default();
    let (app, tokens) = with_action(action.clone()).await;
    action.before.set(Behaviour::PANIC);
    let errors = async |body: Value| app.put(PATH).bearer(&tokens.access).json(&body).await.field_errors();
    let fields = ["currentPassword", "password", "passwordConfirmation"];
    assert_eq!(errors(json!({})).await, fields.map(|field| format!("{field}: required")));
    let wrong_types = json!({ "currentPassword": 1, "password": ["x"], "passwordConfirmation": {} });
    assert_eq!(errors(wrong_types).await, fields.map(|field| format!("{field}: wrong_type")));
    for (current, password, confirmation, expected) in [
        (PASSWORD, NEW, "another", &["passwordConfirmation: mismatch"][..]),
        (PASSWORD, NEW, "", &["passwordConfirmation: mismatch"]),
        (PASSWORD, NEW, PASSWORD, &["passwordConfirmation: mismatch"]),
        (PASSWORD, "short", "shirt", &["password: too_short", "passwordConfirmation: mismatch"]),
        ("", "short", "short", &["currentPassword: required", "password: too_short"]),
        (PASSWORD, "", "", &["password: required"]),
        (PASSWORD, "1234567\0", "1234567\0", &["password: invalid"]),
        (PASSWORD, &"x".repeat(73), &"x".repeat(73), &["password: too_long"]),
        (PASSWORD, &"\u{fc}".repeat(37), &"\u{fc}".repeat(37), &["password: too_long"]),
    ] {
        let body =
            json!({ "currentPassword": current, "password": password, "passwordConfirmation": confirmation });
        assert_eq!(errors(body).await, expected);
    }
    // None of it was an attempt at the password.
    action.before.set(Behaviour::WELL);
    change(&app, &tokens, PASSWORD, NEW).await.expect(200);
}

async fn a_longest_password_is_compared_whole() {
    let (app, tokens) = with_user().await;
    let long = "x".repeat(72);
    let tokens = change(&app, &tokens, PASSWORD, &long).await.expect(200).tokens();
    let tail = format!("{long}y");
    change(&app, &tokens, &tail, NEW).await.refused(422, "incorrect_password");
    change(&app, &tokens, &long[1..], NEW).await.refused(422, "incorrect_password");
    change(&app, &tokens, &long, NEW).await.expect(200);
}

/// Writes whatever it is given.
struct Credulous;

#[async_trait]
impl UpdatesUserPasswords<Account> for Credulous {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        context.users().save(UserPatch::new(user.id).with(UserChange::Password(hash))).await?;
        Ok(())
    }
}

async fn an_action_need_not_check_the_current_password() {
    let (app, tokens) = with_action(Credulous).await;
    for _ in 0..5 {
        change(&app, &tokens, "not the password", NEW).await.refused(422, "incorrect_password");
    }
    change(&app, &tokens, PASSWORD, NEW).await.refused(429, "too_many_attempts");
    app.advance(60);
    change(&app, &tokens, PASSWORD, NEW).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
}

/// Wants no password with the company's name.
struct NoCompanyName;

#[async_trait]
impl UpdatesUserPasswords<Account> for NoCompanyName {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        if data.password.as_password().expose().contains("acme") {
            return Err(FieldErrors::one("password", "company_name", "Choose another password.").into());
        }
        StandardActions.update(user, data, context).await
    }
}

async fn a_password_that_the_action_refuses_is_no_attempt_and_ends_nothing() {
    let (app, tokens) = with_action(NoCompanyName).await;
    for _ in 0..6 {
        let refused = change(&app, &tokens, PASSWORD, "we love acme").await;
        assert_eq!(refused.field_errors(), ["password: company_name"]);
    }
    app.me(&tokens.access).await.expect(200);
    change(&app, &tokens, PASSWORD, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.password-updated"]);
}

async fn an_action_that_breaks_changes_nothing() {
    let action = FaultyActions::default();
    let (app, tokens) = with_action(action.clone()).await;
    for (broken, status, code) in [
        (Behaviour::FAIL, 500, "internal_error"),
        (Behaviour::PANIC, 500, "internal_error"),
        (Behaviour::HANG, 503, "unavailable"),
    ] {
        action.before.set(broken);
        let failed = change(&app, &tokens, PASSWORD, NEW).await.refused(status, code);
        assert!(!failed.text.contains(CAUSE) && !failed.has_credentials(), "{}", failed.text);
        app.me(&tokens.access).await.expect(200);
    }
    action.before.set(Behaviour::FAIL);
    for _ in 0..6 {
        change(&app, &tokens, PASSWORD, NEW).await.refused(500, "internal_error");
    }
    action.before.set(Behaviour::WELL);
    change(&app, &tokens, PASSWORD, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.password-updated"]);
}

async fn an_action_that_fails_after_it_has_written_leaves_no_session_of_before() {
    let action = FaultyActions::default();
    let (app, tokens) = with_action(action.clone()).await;
    action.after.set(Behaviour::FAIL);
    let failed = change(&app, &tokens, PASSWORD, NEW).await.refused(500, "internal_error");
    assert!(!failed.text.contains(CAUSE) && !failed.has_credentials(), "{}", failed.text);
    app.is_refused(&tokens).await;
    app.login_call(EMAIL, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login"]);
}

async fn the_route_needs_a_token_before_anything_else() {
    let (app, tokens) = with_user().await;
    app.put(PATH).body("text/plain", "x").await.refused(401, "unauthenticated");
    let other = app.post(PATH).bearer(&tokens.access).await.refused(405, "method_not_allowed");
    assert_eq!(other.header("allow"), Some("PUT,DELETE"));
    app.put(PATH).bearer(&tokens.access).body("text/plain", "x").await.refused(415, "unsupported_media_type");
    app.users.update(EMAIL, |user| user.active = false);
    change(&app, &tokens, PASSWORD, NEW).await.refused(401, "unauthenticated");
    app.users.remove(EMAIL);
    change(&app, &tokens, PASSWORD, NEW).await.refused(401, "unauthenticated");
}

#[tokio::test]
async fn its_service_is_there_only_with_the_feature() {
    service_is_there_only_with::<UpdatePasswordsService>(Feature::UpdatePasswords).await;
}
