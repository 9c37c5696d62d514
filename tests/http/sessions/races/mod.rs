//! What overlaps: logins, refreshes, changes of credentials, resets and the end of sessions.
//!
//! Each race runs in memory and in each kind of database, for many rounds, with all of its requests at once on all threads.

mod logins;
mod overtaken;
mod refreshes;
mod resets;

use crate::support::answer::Answer;
use crate::support::places::Place;
use crate::support::{App, Call, PASSWORD, Tokens, at_once, forge};
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::delivery::PasswordResetMessage;
use serde_json::json;

const NEW: &str = "a new password for all";

/// How often a race runs in memory.
const ROUNDS: usize = 200;

/// How many requests a race has in a round: few, so that each is in flight with each, and in every tenth round a crowd.
const fn racers(round: usize) -> usize {
    if round.is_multiple_of(10) { 30 } else { 4 }
}

/// No limits that these tests would reach.
fn unlimited() -> RateLimits {
    RateLimits::all(RateLimit::per_seconds(100_000, 60))
}

/// A host with every feature, and without limits.
async fn host(place: &Place) -> App {
    host_with(place, |config| config).await
}

async fn host_with(place: &Place, config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> App {
    place.start_with(|base| config(base.limits(unlimited()).password_queue(1000))).await
}

/// Sends all of these at once.
async fn race(calls: impl IntoIterator<Item = Call>) -> Vec<Answer> {
    at_once(calls.into_iter().map(IntoFuture::into_future)).await
}

fn change(app: &App, tokens: &Tokens, current: &str, password: &str) -> Call {
    let body = json!({ "currentPassword": current, "password": password, "passwordConfirmation": password });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body)
}

/// A request whose response replaces what the client of a session has: a refresh, or the confirmation that gives a browser
/// its next cookie.
fn refresh(app: &App, tokens: &Tokens) -> Call {
    if app.is_for_browsers() {
        let confirm = app.post("/auth/user/confirm-password").bearer(&tokens.access);
        return confirm.json(&json!({ "password": PASSWORD }));
    }
    app.post("/auth/refresh").json(&json!({ "refreshToken": tokens.refresh }))
}

/// Requests a reset token for an address and returns it.
async fn reset_token(app: &App, email: &str) -> String {
    app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
    app.outbox.next::<PasswordResetMessage>().await.token
}

fn reset(app: &App, email: &str, token: &str) -> Call {
    let body = json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
    app.post("/auth/reset-password").json(&body)
}

/// Every round has its own account.
fn address(round: usize) -> String {
    format!("user{round}@example.com")
}

fn user_id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sub"].as_str().unwrap().to_owned()
}

fn session_id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned()
}

/// No token and no cookie of these responses works, with or without reading the record.
async fn nothing_works(app: &App, responses: &[Answer]) {
    for tokens in responses.iter().filter_map(Answer::session) {
        app.is_over(&tokens).await;
    }
}
