//! What was used up or locked before a rotation, and what is used up after it (specification §21.2).

use super::{A, B, C, Secrets, Shared};
use crate::reset_passwords::reset_password::{NEW, is_invalid, reset, token};
use crate::support::authenticator::{Enrolled, no_code_limits};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once};
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::testing::{Fault, ProviderMethod};

on_both_routers![
    a_used_one_time_code_stays_used,
    a_used_challenge_token_stays_used,
    the_wrong_codes_of_a_challenge_token_are_counted_on,
    a_used_recovery_code_stays_used,
    a_reset_token_is_mailed_again_after_a_rotation,
];

/// An instance before and one after each step of a rotation, and after two of them: they have a secret in common.
const STEPS: [(&[Secrets], &[Secrets]); 6] = [
    (&[A], &[A, B]),
    (&[A, B], &[B, A]),
    (&[B, A], &[A, B]),
    (&[B, A], &[B]),
    (&[A], &[B, A]),
    (&[A], &[C, B, A]),
];

fn without_limits(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.limits(no_code_limits())
}

async fn two(shared: &Shared, (before, after): (&[Secrets], &[Secrets])) -> (App, App) {
    let before = shared.start_with(before, without_limits, |module| module).await;
    (before, shared.start_with(after, without_limits, |module| module).await)
}

async fn a_used_one_time_code_stays_used() {
    for step in STEPS {
        let shared = Shared::new();
        let (before, after) = two(&shared, step).await;
        let Enrolled { authenticator, .. } = before.enrolled(EMAIL).await;
        let code = authenticator.code(&before);
        let first = before.challenge_token(EMAIL).await;
        before.challenge(&first, &code).await.expect(200);
        let second = after.challenge_token(EMAIL).await;
        after.challenge(&second, &code).await.refused(422, "invalid_two_factor_code");
        after.next_step();
        after.challenge(&second, &authenticator.code(&after)).await.expect(200);
    }
}

async fn a_reset_token_is_mailed_again_after_a_rotation() {
    for step in STEPS {
        let shared = Shared::new();
        let (before, after) = two(&shared, step).await;
        before.register(EMAIL).await;
        let first = token(&before, &shared.outbox, EMAIL).await;
        let second = token(&after, &shared.outbox, EMAIL).await;
        assert!(first == second, "another token");
        reset(&after, EMAIL, &second, NEW).await.expect(200);
        let third = token(&before, &shared.outbox, EMAIL).await;
        assert!(first != third, "a used token");
    }
}

async fn a_used_challenge_token_stays_used() {
    for step in STEPS {
        let shared = Shared::new();
        let (before, after) = two(&shared, step).await;
        let Enrolled { authenticator, .. } = before.enrolled(EMAIL).await;
        let token = before.challenge_token(EMAIL).await;
        before.challenge(&token, &authenticator.code(&before)).await.expect(200);
        before.next_step();
        let code = authenticator.code(&after);
        after.challenge(&token, &code).await.refused(401, "invalid_challenge_token");
    }
}

async fn the_wrong_codes_of_a_challenge_token_are_counted_on() {
    for step in STEPS {
        let shared = Shared::new();
        let (before, after) = two(&shared, step).await;
        let Enrolled { authenticator, .. } = before.enrolled(EMAIL).await;
        let (token, wrong) = (before.challenge_token(EMAIL).await, authenticator.wrong_code(&before));
        for app in [&before, &before, &after, &before, &after] {
            app.challenge(&token, &wrong).await.refused(422, "invalid_two_factor_code");
        }
        let code = authenticator.code(&after);
        after.challenge(&token, &code).await.refused(401, "invalid_challenge_token");
    }
}

async fn a_used_recovery_code_stays_used() {
    let shared = Shared::new();
    let (before, after) = two(&shared, (&[A], &[B, A])).await;
    let enrolled = before.enrolled(EMAIL).await;
    let codes = before.recovery_codes(&enrolled.tokens.access).await;
    let stored = shared.users.by_email(EMAIL).unwrap().two_factor_recovery_codes;
    let token = before.challenge_token(EMAIL).await;
    before.challenge_by_recovery_code(&token, &codes[0]).await.expect(200);
    // A repository that has lost the write: the claim alone keeps the code from being used twice.
    shared.users.update(EMAIL, |user| user.two_factor_recovery_codes.clone_from(&stored));
    let token = after.challenge_token(EMAIL).await;
    let again = after.challenge_by_recovery_code(&token, &codes[0]).await;
    again.refused(422, "invalid_recovery_code");
}

#[tokio::test]
async fn a_used_reset_token_stays_used() {
    for step in STEPS {
        let shared = Shared::new();
        let (before, after) = two(&shared, step).await;
        before.register(EMAIL).await;
        let token = token(&before, &before.outbox, EMAIL).await;
        // The repository keeps the token, so that only the claim says that it was used.
        shared.faults.always(ProviderMethod::ResetsDeleteByEmail, Fault::Fails);
        reset(&before, EMAIL, &token, NEW).await.expect(200);
        is_invalid(reset(&after, EMAIL, &token, "another new password").await);
        after.login_call(EMAIL, NEW).await.expect(200);
    }
}

/// Its keys of the store are derived once more.
#[tokio::test]
async fn a_lockout_of_a_module_with_a_realm_continues() {
    let shared = Shared::new();
    let start = |secrets: &'static [Secrets]| {
        shared.start_with(secrets, |config| config, |module| module.realm("shop"))
    };
    let (before, after) = (start(&[A]).await, start(&[B, A]).await);
    before.register(EMAIL).await;
    for _ in 0..5 {
        before.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    after.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
}

#[tokio::test]
async fn a_lockout_continues() {
    for (before, after) in STEPS {
        let shared = Shared::new();
        let (before, after) = (shared.start(before).await, shared.start(after).await);
        before.register(EMAIL).await;
        for _ in 0..5 {
            before.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
        }
        let refused = after.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
        assert_eq!(refused.header("retry-after"), Some("60"));
        after.advance(60);
        after.login_call(EMAIL, PASSWORD).await.expect(200);
    }
}

#[tokio::test]
async fn failures_before_and_after_a_rotation_count_together() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    before.register(EMAIL).await;
    for _ in 0..3 {
        before.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    let after = shared.start(&[B, A]).await;
    for _ in 0..2 {
        after.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    after.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    before.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    // The refused attempts were not counted: the window of the first three ends, and two are counted on.
    after.advance(60);
    after.login_call(EMAIL, PASSWORD).await.expect(200);
}

#[tokio::test]
async fn a_success_clears_the_failures_of_all_secrets() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    before.register(EMAIL).await;
    let after = shared.start(&[B, A]).await;
    for app in [&before, &before, &after, &after] {
        app.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    after.login_call(EMAIL, PASSWORD).await.expect(200);
    for app in [&before, &before, &after, &after] {
        app.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    after.login_call(EMAIL, PASSWORD).await.expect(200);
}

#[tokio::test]
async fn an_administrator_unlocks_an_account_that_was_locked_before_a_rotation() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    before.register(EMAIL).await;
    let after = shared.start(&[B, A]).await;
    for client in 1..=6 {
        for _ in 0..5 {
            let call = before.login_call(EMAIL, "wrong").from(&format!("192.0.2.{client}"));
            call.await.refused(401, "invalid_credentials");
        }
    }
    let login = || after.login_call(EMAIL, PASSWORD).from("192.0.2.99");
    login().await.refused(429, "too_many_attempts");
    after.auth.admin().unlock(&1).await.unwrap_or_else(|_| panic!("the user exists"));
    login().await.expect(200);
}

/// How many of twelve concurrent uses of one code succeed, alternately at two instances with these secrets, ten times.
async fn successes(one: &[Secrets], other: &[Secrets]) -> Vec<usize> {
    let shared = Shared::new();
    let (one, other) = two(&shared, (one, other)).await;
    let Enrolled { authenticator, .. } = one.enrolled(EMAIL).await;
    let mut successes = Vec::new();
    for _ in 0..10 {
        let (code, mut calls) = (authenticator.code(&one), Vec::new());
        for app in [&one, &other].into_iter().cycle().take(12) {
            let token = app.challenge_token(EMAIL).await;
            calls.push(app.challenge(&token, &code).into_future());
        }
        let answers = at_once(calls).await;
        successes.push(answers.iter().filter(|answer| answer.status == 200).count());
        one.next_step();
    }
    successes
}

/// The instances have different current secrets, and each must find the entries of the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_uses_of_one_code_at_two_instances_one_succeeds() {
    assert_eq!(successes(&[A, B], &[B, A]).await, [1; 10]);
    assert_eq!(successes(&[A, C, B], &[B, A, C]).await, [1; 10]);
}

/// One instance does not know the new secret yet, or does not know the old one any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_uses_of_one_code_at_instances_with_one_secret_in_common_at_most_one_succeeds() {
    let pairs: [(&[Secrets], &[Secrets]); 3] = [(&[A], &[A, B]), (&[B], &[B, A]), (&[A], &[B, A])];
    for (one, other) in pairs {
        let successes = successes(one, other).await;
        assert!(successes.iter().all(|successes| *successes <= 1), "{successes:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_burst_of_guesses_at_two_instances_is_let_through_as_often_as_at_one() {
    let shared = Shared::new();
    let (one, other) = (shared.start(&[A, B]).await, shared.start(&[B, A]).await);
    one.register(EMAIL).await;
    let attempts = [&one, &other].into_iter().cycle().take(40);
    let answers = at_once(attempts.map(|app| app.login_call(EMAIL, "wrong").into_future())).await;
    let count = |wanted| answers.iter().filter(|answer| answer.status == wanted).count();
    assert_eq!((count(401), count(429)), (5, 35));
}
