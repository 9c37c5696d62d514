//! Who is locked out, and for how long (specification §17.4, §17.5): strangers' guesses do not lock out the owner, endless guessing
//! ends, and the host hears of each lockout once.

use crate::reset_passwords::reset_password::{NEW, reset, token};
use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once, memory_users};
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::events::{AttemptKind, EventKind};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use serde_json::json;
use std::time::Duration;

on_both_routers![
    strangers_guesses_do_not_lock_out_a_client_that_has_logged_in,
    a_known_client_has_five_guesses_a_minute_and_thirty_an_hour,
    a_client_is_known_for_thirty_days_after_its_last_login,
    a_client_is_known_to_the_accounts_that_have_logged_in_from_it,
    a_registration_and_an_unfinished_login_make_no_client_known,
    the_same_holds_for_codes,
    the_same_holds_for_confirmations,
    nobody_can_use_up_the_owners_reset_requests,
    nobody_can_use_up_the_owners_resets,
    a_hundred_failures_in_a_row_lock_out_unknown_clients_for_a_day,
    a_reset_unlocks,
    an_administrator_unlocks,
    a_success_starts_the_count_anew,
    a_hundred_wrong_codes_lock_the_second_factor,
    an_address_without_an_account_is_locked_alike,
    a_lockout_is_one_event_for_each_window,
    a_request_that_times_out_is_no_failure,
    a_client_that_hangs_up_has_made_its_guess,
];

on_both_routers![threads: of_guesses_at_once_at_most_a_hundred_are_let_through];

const OWNER: &str = "198.51.100.7";

fn stranger(n: usize) -> String {
    format!("203.0.113.{}", n % 250)
}

async fn guess(app: &App, client: &str) -> Answer {
    app.login_call(EMAIL, "wrong").from(client).await
}

/// A host with an account that has logged in from `OWNER`.
async fn with_owner() -> App {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200);
    app
}

/// Whether an account knows a client: strangers have used up the account's long limit, and the client can still guess. The hour
/// of that limit is over afterwards.
pub(crate) async fn is_known(app: &App, email: &str, client: &str) -> bool {
    for n in 0..31 {
        app.login_call(email, "wrong").from(&stranger(n)).await;
    }
    let is_known = app.login_call(email, "wrong").from(client).await.status == 401;
    app.advance(3600);
    is_known
}

/// Only the count of consecutive failures is in the way.
fn only_consecutive() -> RateLimits {
    let mut limits = RateLimits::all(RateLimit::per_seconds(100_000, 60));
    limits.consecutive_failures = RateLimits::default().consecutive_failures;
    limits
}

async fn without_other_limits() -> App {
    let app = App::with_everything_and(|config| config.limits(only_consecutive()), |module| module).await;
    app.register(EMAIL).await;
    app
}

async fn strangers_guesses_do_not_lock_out_a_client_that_has_logged_in() {
    let app = with_owner().await;
    for n in 0..30 {
        guess(&app, &stranger(n)).await.expect(401);
    }
    guess(&app, "192.0.2.99").await.refused(429, "too_many_attempts");
    app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200);
}

async fn a_known_client_has_five_guesses_a_minute_and_thirty_an_hour() {
    let app = with_owner().await;
    for _ in 0..6 {
        for _ in 0..5 {
            guess(&app, OWNER).await.expect(401);
        }
        app.login_call(EMAIL, PASSWORD).from(OWNER).await.refused(429, "too_many_attempts");
        app.advance(60);
    }
    let refused = app.login_call(EMAIL, PASSWORD).from(OWNER).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("3240"));
    // They are not the strangers' guesses: the account itself is not locked.
    app.login_call(EMAIL, PASSWORD).from(&stranger(1)).await.expect(200);
}

async fn a_client_is_known_for_thirty_days_after_its_last_login() {
    let app = with_owner().await;
    let day = 24 * 3600;
    for _ in 0..2 {
        app.advance(29 * day);
        assert!(is_known(&app, EMAIL, OWNER).await);
        app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200);
    }
    app.advance(30 * day + 60);
    assert!(!is_known(&app, EMAIL, OWNER).await);
}

async fn a_client_is_known_to_the_accounts_that_have_logged_in_from_it() {
    let app = with_owner().await;
    app.register("eve@example.com").await;
    assert!(is_known(&app, EMAIL, OWNER).await);
    assert!(!is_known(&app, "eve@example.com", OWNER).await);
    assert!(!is_known(&app, EMAIL, "192.0.2.1").await);
}

async fn a_registration_and_an_unfinished_login_make_no_client_known() {
    let app = App::with_everything().await;
    app.enrolled(EMAIL).await;
    app.challenge_token(EMAIL).await;
    assert!(!is_known(&app, EMAIL, "192.0.2.1").await);
}

async fn the_same_holds_for_codes() {
    let app = App::with_everything().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let login = async |client: &str| {
        let answer = app.login_call(EMAIL, PASSWORD).from(client).await.expect(200);
        answer.challenge().expect("a challenge")
    };
    let token = login(OWNER).await;
    app.challenge(&token, &authenticator.code(&app)).from(OWNER).await.expect(200);
    app.next_step();
    // Strangers who know the password.
    for n in 0..30 {
        let token = login(&stranger(n)).await;
        app.challenge(&token, "no code").from(&stranger(n)).await.expect(422);
    }
    let token = login(&stranger(99)).await;
    app.challenge(&token, "no code").from(&stranger(99)).await.refused(429, "too_many_attempts");
    let token = login(OWNER).await;
    app.challenge(&token, &authenticator.code(&app)).from(OWNER).await.expect(200);
    app.next_step();
    // The owner has five tries in a minute, as everybody.
    let token = login(OWNER).await;
    for _ in 0..5 {
        app.challenge(&token, "no code").from(OWNER).await.refused(422, "invalid_two_factor_code");
    }
    let token = login(OWNER).await;
    let right = app.challenge(&token, &authenticator.code(&app)).from(OWNER).await;
    right.refused(429, "too_many_attempts");
}

async fn the_same_holds_for_confirmations() {
    let app = with_owner().await;
    let stolen = app.register("eve@example.com").await;
    app.login_call("eve@example.com", PASSWORD).from(OWNER).await.expect(200);
    let confirm = |password: &str, client: &str| {
        let call = app.post("/auth/user/confirm-password").bearer(&stolen.access).from(client);
        call.json(&json!({ "password": password }))
    };
    for n in 0..30 {
        confirm("wrong", &stranger(n)).await.refused(422, "incorrect_password");
    }
    confirm(PASSWORD, &stranger(99)).await.refused(429, "too_many_attempts");
    for _ in 0..4 {
        confirm("wrong", OWNER).await.refused(422, "incorrect_password");
    }
    confirm(PASSWORD, OWNER).await.expect(200);
}

async fn nobody_can_use_up_the_owners_reset_requests() {
    let app = with_owner().await;
    let request =
        |client: &str| app.post("/auth/forgot-password").from(client).json(&json!({ "email": EMAIL }));
    for n in 0..3 {
        request(&stranger(n)).await.expect(200);
    }
    request(&stranger(9)).await.refused(429, "too_many_attempts");
    for _ in 0..3 {
        request(OWNER).await.expect(200);
    }
    request(OWNER).await.refused(429, "too_many_attempts");
}

async fn nobody_can_use_up_the_owners_resets() {
    let app = with_owner().await;
    let token = token(&app, &app.outbox, EMAIL).await;
    let wrong = |client: &str| reset(&app, EMAIL, "wrong", NEW).from(client);
    for n in 0..30 {
        wrong(&stranger(n)).await.refused(422, "invalid_reset_token");
    }
    // Thirty in an hour from all strangers together, and five in a minute from one.
    reset(&app, EMAIL, &token, NEW).from(&stranger(99)).await.refused(429, "too_many_attempts");
    for _ in 0..5 {
        wrong(OWNER).await.refused(422, "invalid_reset_token");
    }
    wrong(OWNER).await.refused(429, "too_many_attempts");
    app.advance(60);
    reset(&app, EMAIL, &token, NEW).from(OWNER).await.expect(200);
}

async fn a_hundred_failures_in_a_row_lock_out_unknown_clients_for_a_day() {
    let app = without_other_limits().await;
    app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200);
    for n in 0..99 {
        guess(&app, &stranger(n)).await.expect(401);
        app.advance(3600);
    }
    guess(&app, &stranger(99)).await.expect(401);
    let refused = app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("86400"));
    app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200);
    app.advance(86_399);
    let refused = app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("1"));
    app.advance(1);
    // After that, the count starts from zero.
    for n in 0..100 {
        guess(&app, &stranger(n)).await.expect(401);
    }
    guess(&app, &stranger(1)).await.refused(429, "too_many_attempts");
}

/// Fails until unknown clients are locked out.
async fn lock(app: &App) {
    for n in 0..100 {
        guess(app, &stranger(n)).await.expect(401);
    }
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
}

async fn a_reset_unlocks() {
    let app = without_other_limits().await;
    lock(&app).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
}

async fn an_administrator_unlocks() {
    let app = without_other_limits().await;
    lock(&app).await;
    app.auth.admin().unlock(&1).await.unwrap();
    app.login(EMAIL).await;
}

async fn a_success_starts_the_count_anew() {
    let app = without_other_limits().await;
    for client in ["192.0.2.1", OWNER] {
        for n in 0..99 {
            guess(&app, &stranger(n)).await.expect(401);
        }
        // The second of these logins is of a client that the account knows.
        app.login_call(EMAIL, PASSWORD).from(OWNER).await.expect(200);
        guess(&app, client).await.expect(401);
    }
    for n in 0..98 {
        guess(&app, &stranger(n)).await.expect(401);
    }
}

async fn a_hundred_wrong_codes_lock_the_second_factor() {
    let app = App::with_everything_and(|config| config.limits(only_consecutive()), |module| module).await;
    let Enrolled { authenticator, tokens } = app.enrolled(EMAIL).await;
    for _ in 0..20 {
        let token = app.challenge_token(EMAIL).await;
        for _ in 0..5 {
            app.challenge(&token, "no code").await.expect(422);
        }
    }
    let token = app.challenge_token(EMAIL).await;
    let refused = app.challenge(&token, &authenticator.code(&app)).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("86400"));
    // Passwords are counted by themselves.
    app.confirm_password(&tokens.access).await;
    app.advance(86_400);
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &authenticator.code(&app)).await.expect(200);
}

async fn an_address_without_an_account_is_locked_alike() {
    let app = without_other_limits().await;
    let mut answers = Vec::new();
    for email in [EMAIL, "nobody@example.com"] {
        for n in 0..100 {
            app.login_call(email, "wrong").from(&stranger(n)).await.expect(401);
        }
        let refused = app.login_call(email, "wrong").await.refused(429, "too_many_attempts");
        answers.push((refused.text.clone(), refused.header("retry-after").map(str::to_owned)));
    }
    assert_eq!(answers[0], answers[1]);
}

async fn a_lockout_is_one_event_for_each_window() {
    let app = App::start().await;
    app.register(EMAIL).await;
    app.event_names::<1>().await;
    let lockouts = async |events: usize| {
        let mut lockouts = 0;
        for _ in 0..events {
            let event = app.event().await;
            lockouts += usize::from(event.kind == EventKind::Lockout { attempt: AttemptKind::Login });
        }
        lockouts
    };
    for _ in 0..2 {
        for _ in 0..20 {
            guess(&app, "192.0.2.1").await;
        }
        assert_eq!(lockouts(6).await, 1);
        app.advance(60);
    }
    // Another client has a counter of its own.
    for _ in 0..10 {
        guess(&app, OWNER).await;
    }
    assert_eq!(lockouts(6).await, 1);
    app.register("eve@example.com").await;
    assert_eq!(app.event_names().await, ["auth.registered"]);
}

async fn of_guesses_at_once_at_most_a_hundred_are_let_through() {
    let app = without_other_limits().await;
    for n in 0..80 {
        guess(&app, &stranger(n)).await.expect(401);
    }
    let calls = (0..60).map(|n| app.login_call(EMAIL, "wrong").from(&stranger(n)).into_future());
    let statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 20, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 40, "{statuses:?}");
    guess(&app, &stranger(1)).await.refused(429, "too_many_attempts");
}

/// A host that lets a client fail once in a minute, with faults of its users.
async fn with_faults() -> (App, Faults) {
    let (users, faults) = (memory_users(), Faults::new());
    let mut limits = RateLimits::default();
    limits.login_client = RateLimit::per_seconds(1, 60);
    let config = |config: AuthConfigBuilder| config.limits(limits).request_timeout(Duration::from_secs(2));
    let app = App::with_everything_on(faults.over(users.clone()), users, config, |module| module).await;
    app.register(EMAIL).await;
    (app, faults)
}

async fn a_request_that_times_out_is_no_failure() {
    let (app, faults) = with_faults().await;
    faults.everywhere("users", Fault::Hangs);
    for _ in 0..2 {
        app.login_call(EMAIL, PASSWORD).await.refused(503, "unavailable");
    }
    faults.heal();
    app.login(EMAIL).await;
    guess(&app, "192.0.2.1").await.expect(401);
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
}

async fn a_client_that_hangs_up_has_made_its_guess() {
    let (app, faults) = with_faults().await;
    faults.next(ProviderMethod::UsersFindByField, Fault::Hangs);
    let is_asked = async {
        while !faults.have_happened() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        answer = app.login_call(EMAIL, "wrong").into_future() => panic!("{}", answer.text),
        () = is_asked => {}
    }
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
}
