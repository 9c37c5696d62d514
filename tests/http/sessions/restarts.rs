//! What has ended or was used stays so: immediately, on another instance, after a restart, and days later.

use super::{PATH, session_id};
use crate::support::authenticator::Enrolled;
use crate::support::places::{Place, in_every_place};
use crate::support::{App, EMAIL, PASSWORD, Tokens, routers};
use axum_auth_module::config::SessionOptions;
use axum_auth_module::delivery::PasswordResetMessage;
use serde_json::json;
use std::time::Duration;

in_every_place![the_reuse_of_a_refresh_token_is_found_after_a_restart];
in_every_place![
    on_both_routers:
    what_has_ended_stays_ended,
    what_was_used_stays_used_after_a_restart,
    a_lockout_lasts_longer_than_the_instance_that_saw_the_failures,
];

const NEW: &str = "a new password for all";

/// A way to end the second session of a user. The first has confirmed the password.
type End = (&'static str, for<'a> fn(&'a App, &'a str, &'a Tokens, &'a Tokens) -> Ending<'a>);
type Ending<'a> = std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The ways to end a session that the router of the test has.
fn ends() -> impl Iterator<Item = &'static End> {
    ENDS.iter().filter(|(name, _)| *name != "reuse" || !routers::is_browser())
}

/// All ways to end a session.
const ENDS: &[End] = &[
    ("logout", |app, _, _, ended| Box::pin(log_out(app, ended))),
    ("revoked", |app, _, own, ended| Box::pin(revoke(app, own, ended))),
    ("all-others", |app, _, own, _| Box::pin(revoke_others(app, own))),
    ("password", |app, _, own, _| Box::pin(change_password(app, own))),
    ("two-factor", |app, _, own, _| Box::pin(confirm_two_factor(app, own))),
    ("reset", |app, email, _, _| Box::pin(reset_password(app, email))),
    ("reuse", |app, _, _, ended| Box::pin(reuse(app, ended))),
    ("administrator", |app, _, _, ended| Box::pin(end_by_administrator(app, ended))),
    ("superseded", |app, email, _, _| Box::pin(supersede(app, email))),
];

async fn log_out(app: &App, ended: &Tokens) {
    app.post("/auth/logout").bearer(&ended.access).await.expect(200);
}

async fn revoke(app: &App, own: &Tokens, ended: &Tokens) {
    app.delete(&format!("{PATH}/{}", session_id(ended))).bearer(&own.access).await.expect(200);
}

async fn revoke_others(app: &App, own: &Tokens) {
    app.delete(PATH).bearer(&own.access).await.expect(200);
}

async fn change_password(app: &App, own: &Tokens) {
    let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    app.put("/auth/user/password").bearer(&own.access).json(&body).await.expect(200);
}

async fn confirm_two_factor(app: &App, own: &Tokens) {
    app.enable(&own.access).await.expect(200);
    let code = app.authenticator(&own.access).await.code(app);
    app.confirm_two_factor(&own.access, &code).await.expect(200);
}

async fn reset_password(app: &App, email: &str) {
    app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
    let token = app.outbox.next::<PasswordResetMessage>().await.token;
    let body = json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
    app.post("/auth/reset-password").json(&body).await.expect(200);
}

async fn reuse(app: &App, ended: &Tokens) {
    app.refresh(&ended.refresh).await.expect(200);
    app.advance(11);
    app.refresh(&ended.refresh).await.refused(401, "refresh_token_reused");
}

async fn end_by_administrator(app: &App, ended: &Tokens) {
    assert!(app.auth.admin().end_session(&session_id(ended)).await.unwrap());
}

async fn supersede(app: &App, email: &str) {
    for login in 0..MAX {
        app.advance(1);
        app.login_call(email, PASSWORD).from(&format!("198.51.100.{login}")).await.expect(200);
    }
}

const MAX: usize = 3;

async fn instance(place: &Place) -> App {
    let mut options = SessionOptions::default();
    options.max_per_user = MAX;
    place.start_with(|config| config.sessions(options)).await
}

async fn what_has_ended_stays_ended(place: &Place) {
    let (one, another) = (instance(place).await, instance(place).await);
    let mut all = Vec::new();
    for (name, end) in ends() {
        let email = format!("{name}@example.com");
        let own = one.confirmed_session(&email).await;
        let ended = one.login(&email).await;
        let refreshed = one.renew(&ended).await;
        // Within the grace period, the first refresh token is as good as the second.
        end(&one, &email, &own, &ended).await;
        for tokens in [ended, refreshed] {
            one.is_over(&tokens).await;
            another.is_over(&tokens).await;
            all.push(tokens);
        }
    }
    drop((one, another));
    let restarted = instance(place).await;
    for tokens in &all {
        restarted.is_over(tokens).await;
    }
    restarted.advance(8 * 24 * 3600);
    restarted.auth.maintain().await.unwrap();
    for tokens in &all {
        restarted.is_over(tokens).await;
    }
}

async fn the_reuse_of_a_refresh_token_is_found_after_a_restart(place: &Place) {
    let before = instance(place).await;
    let stolen = before.register(EMAIL).await;
    let owner = before.refresh(&stolen.refresh).await.expect(200).tokens();
    drop(before);
    let after = instance(place).await;
    after.advance(11);
    after.refresh(&stolen.refresh).await.refused(401, "refresh_token_reused");
    after.is_over(&owner).await;
    assert!(place.rows("1").await.is_empty());
}

async fn what_was_used_stays_used_after_a_restart(place: &Place) {
    let before = instance(place).await;
    let Enrolled { authenticator, tokens } = before.enrolled(EMAIL).await;
    let recovery_code = before.recovery_codes(&tokens.access).await.remove(0);
    let (code, spent) = (authenticator.code(&before), before.challenge_token(EMAIL).await);
    before.challenge(&spent, &code).await.expect(200);
    let token = before.challenge_token(EMAIL).await;
    before.challenge_by_recovery_code(&token, &recovery_code).await.expect(200);
    // By another user, because a reset invalidates challenges too.
    let email = "grace@example.com";
    before.register(email).await;
    before.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
    let token = before.outbox.next::<PasswordResetMessage>().await.token;
    let reset = json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
    before.post("/auth/reset-password").json(&reset).await.expect(200);
    drop(before);

    let after = instance(place).await;
    let fresh = after.challenge_token(EMAIL).await;
    after.challenge(&fresh, &code).await.refused(422, "invalid_two_factor_code");
    let refused = after.challenge_by_recovery_code(&fresh, &recovery_code).await;
    refused.refused(422, "invalid_recovery_code");
    after.next_step();
    let next = authenticator.code(&after);
    after.challenge(&spent, &next).await.refused(401, "invalid_challenge_token");
    after.post("/auth/reset-password").json(&reset).await.refused(422, "invalid_reset_token");
    after.challenge(&fresh, &next).await.expect(200);
}

async fn a_lockout_lasts_longer_than_the_instance_that_saw_the_failures(place: &Place) {
    let before = instance(place).await;
    before.register(EMAIL).await;
    for _ in 0..5 {
        before.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    drop(before);
    let after = instance(place).await;
    let refused = after.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    let rest: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    place.clock.advance(Duration::from_secs(rest - 1));
    after.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    place.clock.advance(Duration::from_secs(1));
    after.login(EMAIL).await;
}
