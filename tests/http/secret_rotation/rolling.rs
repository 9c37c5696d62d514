//! A rotation without a pause: the instances of a host are restarted one by one, and users meet old and new ones in turn.

use super::{A, B, Secrets, Shared};
use crate::email_verification::notification::{link, open};
use crate::reset_passwords::reset_password::{reset, token};
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD};
use serde_json::json;
use std::cell::Cell;
use std::time::Duration;

on_both_routers![in_every_step_of_a_rotation_users_meet_old_and_new_instances];

const EVE: &str = "eve@example.com";
const NEW: &str = "a new password for all";

/// Two instances, of which every next request meets the other one.
struct Pair {
    instances: [App; 2],
    next: Cell<usize>,
}

impl Pair {
    async fn start(shared: &Shared, one: &[Secrets], other: &[Secrets]) -> Self {
        Self { instances: [shared.start(one).await, shared.start(other).await], next: Cell::new(0) }
    }

    fn next(&self) -> &App {
        let next = self.next.get();
        self.next.set((next + 1) % 2);
        &self.instances[next]
    }
}

/// Everything that a user does, with each request at the other instance.
async fn everything(shared: &Shared, pair: &Pair) {
    let mut tokens = pair.next().register(EMAIL).await;
    for _ in 0..3 {
        for _ in 0..3 {
            pair.next().me(&tokens.access).await.expect(200);
        }
        tokens = pair.next().renew(&tokens).await;
    }
    let link = link(pair.next(), &tokens).await;
    open(pair.next(), &tokens.access, &link.path("/auth")).await.expect(200);
    pair.next().confirm_password(&tokens.access).await;
    pair.next().get("/confirmed").bearer(&tokens.access).await.expect(200);
    let other = pair.next().login(EMAIL).await;
    let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    let changed = pair.next().put("/auth/user/password").bearer(&tokens.access).json(&body).await;
    let changed = changed.expect(200).tokens();
    for app in &pair.instances {
        app.is_over(&other).await;
        app.me(&changed.access).await.expect(200);
    }
    let token = token(pair.next(), &shared.outbox, EMAIL).await;
    reset(pair.next(), EMAIL, &token, PASSWORD).await.expect(200);
    let last = pair.next().login(EMAIL).await;
    pair.next().post("/auth/logout").bearer(&last.access).await.expect(200);
    for app in &pair.instances {
        for ended in [&tokens, &changed, &last] {
            app.is_over(ended).await;
        }
    }
    second_factor(pair).await;
}

async fn second_factor(pair: &Pair) {
    let tokens = pair.next().register(EVE).await;
    pair.next().confirm_password(&tokens.access).await;
    pair.next().enable(&tokens.access).await.expect(200);
    let authenticator = pair.next().authenticator(&tokens.access).await;
    let app = pair.next();
    let code = authenticator.code(app);
    let tokens = app.confirm_two_factor(&tokens.access, &code).await.expect(200).tokens();
    pair.next().next_step();
    let enrolled = Enrolled { tokens, authenticator };
    pair.next().me(&enrolled.tokens.access).await.expect(200);
    let challenge = pair.next().challenge_token(EVE).await;
    let code = enrolled.authenticator.code(&pair.instances[0]);
    let session = pair.next().challenge(&challenge, &code).await.expect(200).tokens();
    pair.next().challenge(&challenge, &code).await.refused(401, "invalid_challenge_token");
    pair.next().me(&session.access).await.expect(200);
}

/// The order that `docs/operations.md` describes: first every instance accepts the new secret, then it becomes the current
/// one, and later the old one is removed.
async fn in_every_step_of_a_rotation_users_meet_old_and_new_instances() {
    for (one, other) in [
        ([A].as_slice(), [A, B].as_slice()),
        (&[A, B], &[A, B]),
        (&[A, B], &[B, A]),
        (&[B, A], &[A, B]),
        (&[B, A], &[B, A]),
        (&[B, A], &[B]),
        (&[B], &[B, A]),
    ] {
        let shared = Shared::new();
        everything(&shared, &Pair::start(&shared, one, other).await).await;
    }
}

/// One session through the whole rotation. Each step takes so long that its access tokens expire.
#[tokio::test]
async fn a_session_lives_through_a_whole_rotation() {
    let shared = Shared::new();
    let mut tokens = shared.start(&[A]).await.register(EMAIL).await;
    for (one, other) in [
        ([A].as_slice(), [A, B].as_slice()),
        (&[A, B], &[A, B]),
        (&[A, B], &[B, A]),
        (&[B, A], &[B, A]),
        (&[B, A], &[B]),
        (&[B], &[B]),
    ] {
        let pair = Pair::start(&shared, one, other).await;
        for _ in 0..4 {
            shared.clock.advance(Duration::from_secs(16 * 60));
            tokens = pair.next().refresh(&tokens.refresh).await.expect(200).tokens();
            for _ in 0..2 {
                pair.next().me(&tokens.access).await.expect(200);
            }
            pair.next();
        }
    }
}
