//! Two instances whose clocks are a second apart, on one database, or with one Redis as their store.

use crate::support::places::{Place, in_every_place};
use crate::support::servers::RedisServer;
use crate::support::{App, EMAIL, PASSWORD, memory_users};
use axum_auth_module::StandardActions;
use axum_auth_module::clock::Clock;
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::RedisStore;
use axum_auth_module::testing::{MemoryPasswordResets, MovableClock};
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

in_every_place![on_both_routers: instances_whose_clocks_are_a_second_apart_agree];

const SECOND: Duration = Duration::from_secs(1);
const NEW: &str = "a new password for all";

/// A clock that is right, and one that is a second behind it. The right one is at the first second of a time step of
/// authenticator apps, and so the other is in the step before.
fn clocks(at: &MovableClock) -> (MovableClock, MovableClock) {
    let seconds = at.now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 30 * 30 + 30;
    let now = UNIX_EPOCH + Duration::from_secs(seconds);
    at.set(now);
    (at.clone(), MovableClock::at(now - SECOND))
}

async fn instances_whose_clocks_are_a_second_apart_agree(place: &Place) {
    let (right, late) = clocks(&place.clock);
    let ahead = place.start_at(&right, |config| config).await;
    let behind = place.start_at(&late, |config| config).await;
    agree(&ahead, &behind).await;
    // Entries of the store end by these clocks, too.
    let passes = |seconds| {
        ahead.advance(seconds);
        behind.advance(seconds);
    };
    passes(58);
    for app in [&ahead, &behind] {
        app.login_call("locked@example.com", PASSWORD).await.refused(429, "too_many_attempts");
    }
    passes(3);
    for app in [&ahead, &behind] {
        app.login("locked@example.com").await;
    }
}

#[tokio::test]
async fn with_redis_they_agree_too() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (right, late) = clocks(&MovableClock::new());
    let (users, sessions, resets) = (memory_users(), MemorySessions::new(), MemoryPasswordResets::new());
    let start = async |clock: &MovableClock| {
        let (users, clock, outbox) =
            (users.clone(), clock.clone(), crate::support::providers::Outbox::default());
        let (config_clock, post) = (clock.clone(), outbox.clone());
        let mut app = App::with_everything_on(
            users.clone(),
            users,
            |config| config.clock(config_clock),
            |module| {
                let module = module.sessions(sessions.clone());
                let module = module.shared_store(RedisStore::connect(&server.url()).unwrap());
                module.reset_passwords(resets.clone(), StandardActions, post)
            },
        )
        .await;
        (app.clock, app.outbox) = (clock, outbox);
        app
    };
    agree(&start(&right).await, &start(&late).await).await;
}

async fn agree(ahead: &App, behind: &App) {
    sessions(ahead, behind).await;
    codes(ahead, behind).await;
    changes(ahead, behind).await;
    limits(ahead, behind).await;
}

/// A token of the instance that is ahead was issued in the future of the other.
async fn sessions(ahead: &App, behind: &App) {
    let first = ahead.register(EMAIL).await;
    behind.me(&first.access).await.expect(200);
    let refreshed = behind.renew(&first).await;
    ahead.me(&refreshed.access).await.expect(200);
    let again = ahead.renew(&refreshed).await;
    // A retry within the grace period, at the other instance.
    behind.renew(&refreshed).await;
    behind.confirm_password(&again.access).await;
    ahead.get("/confirmed").bearer(&again.access).await.expect(200);
    behind.get("/confirmed").bearer(&again.access).await.expect(200);
    ahead.confirm_password(&again.access).await;
    behind.get("/confirmed").bearer(&again.access).await.expect(200);
    behind.post("/auth/logout").bearer(&again.access).await.expect(200);
    for app in [ahead, behind] {
        app.is_over(&again).await;
        app.is_over(&refreshed).await;
    }
}

/// The code of the step in which the one that is ahead is.
async fn codes(ahead: &App, behind: &App) {
    let email = "codes@example.com";
    let enrolled = behind.enrolled(email).await;
    ahead.next_step();
    let code = enrolled.authenticator.code(ahead);
    let (first, second) = (ahead.challenge_token(email).await, behind.challenge_token(email).await);
    let third = behind.challenge_token(email).await;
    // The challenge began at the other instance.
    let session = behind.challenge(&first, &code).await.expect(200).tokens();
    for app in [ahead, behind] {
        app.me(&session.access).await.expect(200);
        app.challenge(&second, &code).await.refused(422, "invalid_two_factor_code");
        app.challenge(&first, &code).await.refused(401, "invalid_challenge_token");
    }
    ahead.next_step();
    behind.next_step();
    ahead.challenge(&third, &enrolled.authenticator.code(ahead)).await.expect(200);
    behind
        .challenge(&second, &enrolled.authenticator.code(ahead))
        .await
        .refused(422, "invalid_two_factor_code");
}

/// Changes of credentials at each instance, and what they end at the other.
async fn changes(ahead: &App, behind: &App) {
    let email = "changes@example.com";
    let mut current = ahead.register(email).await;
    let mut password = PASSWORD;
    for (one, other, new) in [(ahead, behind, NEW), (behind, ahead, PASSWORD)] {
        let ended = other.login_call(email, password).await.expect(200).tokens();
        let body = json!({ "currentPassword": password, "password": new, "passwordConfirmation": new });
        let changed = one.put("/auth/user/password").bearer(&current.access).json(&body).await.expect(200);
        let changed = changed.tokens();
        for app in [one, other] {
            app.is_over(&ended).await;
            app.is_over(&current).await;
            app.me(&changed.access).await.expect(200);
        }
        current = other.renew(&changed).await;
        for app in [one, other] {
            app.me(&current.access).await.expect(200);
        }
        password = new;
    }
    ahead.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
    let token = ahead.outbox.next::<PasswordResetMessage>().await.token;
    let reset = json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
    behind.post("/auth/reset-password").json(&reset).await.expect(200);
    ahead.is_over(&current).await;
    ahead.post("/auth/reset-password").json(&reset).await.refused(422, "invalid_reset_token");
}

/// Five failures, wherever they happen, and no success before their minute has passed.
async fn limits(ahead: &App, behind: &App) {
    let email = "locked@example.com";
    behind.register(email).await;
    for app in [behind, ahead, behind, ahead, behind] {
        app.login_call(email, "wrong").await.refused(401, "invalid_credentials");
    }
    for app in [ahead, behind] {
        let refused = app.login_call(email, PASSWORD).await.refused(429, "too_many_attempts");
        let rest: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((50..=61).contains(&rest), "{rest}");
    }
}
