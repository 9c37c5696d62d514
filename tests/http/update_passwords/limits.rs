//! How many password changes an account has: five that succeed in an hour, and ten in a minute whose new password the policy is
//! asked about (specification §17.1).

use super::{NEW, change, with_user};
use crate::reset_passwords::reset_password::{reset, token};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Builder, EMAIL, PASSWORD, Tokens, at_once};
use axum_auth_module::async_trait;
use axum_auth_module::policy::{PasswordOwner, Policy, PolicyError};
use axum_auth_module::values::NewPassword;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

on_both_routers![
    the_sixth_change_within_an_hour_is_refused_and_is_no_lockout,
    a_reset_neither_counts_as_a_change_nor_is_refused_with_it,
    wrong_passwords_and_refusals_take_no_place_of_a_change,
    the_policy_is_asked_after_the_current_password_and_ten_times_a_minute,
];

on_both_routers![threads: of_changes_at_once_five_an_hour_succeed];

/// Changes the password to itself so many times.
async fn changed(app: &App, mut tokens: Tokens, times: usize) -> Tokens {
    for _ in 0..times {
        tokens = change(app, &tokens, PASSWORD, PASSWORD).await.expect(200).tokens();
    }
    tokens
}

async fn the_sixth_change_within_an_hour_is_refused_and_is_no_lockout() {
    let (app, tokens) = with_user().await;
    let tokens = changed(&app, tokens, 5).await;
    app.event_names::<6>().await;
    for client in ["192.0.2.1", "203.0.113.9"] {
        let refused = change(&app, &tokens, PASSWORD, NEW).from(client).await;
        let refused = refused.refused(429, "too_many_attempts");
        assert_eq!(refused.header("retry-after"), Some("3600"));
    }
    let eve = app.register("eve@example.com").await;
    change(&app, &eve, PASSWORD, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.password-updated"]);
    app.advance(3600);
    let tokens = app.login(EMAIL).await;
    changed(&app, tokens, 5).await;
}

async fn a_reset_neither_counts_as_a_change_nor_is_refused_with_it() {
    let (app, tokens) = with_user().await;
    changed(&app, tokens, 4).await;
    for password in [NEW, PASSWORD] {
        let token = token(&app, &app.outbox, EMAIL).await;
        reset(&app, EMAIL, &token, password).await.expect(200);
    }
    let tokens = app.login(EMAIL).await;
    let tokens = changed(&app, tokens, 1).await;
    change(&app, &tokens, PASSWORD, NEW).await.refused(429, "too_many_attempts");
    let token = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &token, NEW).await.expect(200);
}

async fn wrong_passwords_and_refusals_take_no_place_of_a_change() {
    let (app, rules) = with_rules().await;
    let mut tokens = app.register(EMAIL).await;
    for round in 1..=5 {
        for _ in 0..4 {
            change(&app, &tokens, "wrong", NEW).await.refused(422, "incorrect_password");
        }
        let refused = change(&app, &tokens, PASSWORD, "a refused one").await;
        assert_eq!(refused.field_errors(), ["password: refused"]);
        tokens = change(&app, &tokens, PASSWORD, PASSWORD).await.expect(200).tokens();
        assert_eq!(rules.asked.load(Ordering::SeqCst), 1 + 2 * round, "and at the registration");
        app.advance(60);
    }
    change(&app, &tokens, PASSWORD, PASSWORD).await.refused(429, "too_many_attempts");
}

async fn the_policy_is_asked_after_the_current_password_and_ten_times_a_minute() {
    let (app, rules) = with_rules().await;
    let tokens = app.register(EMAIL).await;
    let asked = || rules.asked.swap(0, Ordering::SeqCst);
    asked();
    change(&app, &tokens, "wrong", "a refused one").await.refused(422, "incorrect_password");
    assert_eq!(asked(), 0, "who does not know the password learns no rule");
    for _ in 0..10 {
        change(&app, &tokens, PASSWORD, "a refused one").await.refused(422, "validation_failed");
    }
    for password in ["a refused one", NEW] {
        let refused = change(&app, &tokens, PASSWORD, password).await.refused(429, "too_many_attempts");
        assert_eq!(refused.header("retry-after"), Some("60"));
    }
    assert_eq!(asked(), 10);
    app.me(&tokens.access).await.expect(200);
    app.advance(60);
    change(&app, &tokens, PASSWORD, NEW).await.expect(200);
}

async fn of_changes_at_once_five_an_hour_succeed() {
    let (app, mut tokens) = with_user().await;
    let mut changes = 0;
    for _ in 0..8 {
        let calls = (0..10).map(|_| change(&app, &tokens, PASSWORD, PASSWORD).into_future());
        let mut next = None;
        for answer in at_once(calls).await {
            match answer.status {
                200 => (changes, next) = (changes + 1, Some(answer.tokens())),
                429 => drop(answer.refused(429, "too_many_attempts")),
                _ => drop(answer.refused(401, "unauthenticated")),
            }
        }
        match next {
            Some(next) => tokens = next,
            None => tokens = app.login(EMAIL).await,
        }
        app.advance(60);
    }
    assert_eq!(changes, 5);
}

/// Refuses the passwords that say so.
#[derive(Clone, Default)]
struct Rules {
    asked: Arc<AtomicUsize>,
}

#[async_trait]
impl Policy<Account> for Rules {
    async fn allows_password(
        &self,
        password: &NewPassword,
        _: &PasswordOwner<'_, Account>,
    ) -> Result<(), PolicyError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        match password.as_password().expose().contains("refused") {
            true => Err(PolicyError::refused("refused", "This password is refused.")),
            false => Ok(()),
        }
    }
}

async fn with_rules() -> (App, Rules) {
    let rules = Rules::default();
    let policy = rules.clone();
    let app = App::with_everything_and(|config| config, |module: Builder| module.policy(policy)).await;
    (app, rules)
}
