//! What is left of users who were deleted or are inactive: their tokens of all kinds (ASVS 7.4.2).

use super::target::{
    INVALID_CHALLENGE, INVALID_CREDENTIALS, INVALID_REFRESH_TOKEN, INVALID_RESET_TOKEN, Refusal, Target,
    UNAUTHENTICATED, attacks,
};
use crate::support::authenticator::Enrolled;
use crate::support::providers::faults;
use crate::support::{App, Call, PASSWORD, memory_users};
use axum_auth_module::testing::Fault;
use serde_json::json;

attacks! {
    on_both_routers {
        tokens_of_users_who_are_gone: 20,
        a_user_who_cannot_be_looked_up: 6,
    }
    on_the_bearer_router { refresh_tokens_of_users_who_are_gone: 3 }
}

/// What a user can have when the account ends.
struct Left {
    email: String,
    enrolled: Enrolled,
    challenge: String,
    recovery_code: String,
    reset_token: String,
    link: String,
}

impl Left {
    async fn by(target: &Target, email: &str) -> Self {
        let enrolled = target.enrolled(email).await;
        let access = &enrolled.tokens.access;
        Self {
            email: email.to_owned(),
            challenge: target.challenge_token(email).await,
            recovery_code: target.recovery_codes(access).await.remove(0),
            reset_token: target.reset_token(email).await,
            link: target.link(access).await.path("/auth"),
            enrolled,
        }
    }

    /// Every request that one can make with it, and how it is refused.
    fn requests(&self, target: &Target) -> Vec<(&'static str, Call, Refusal)> {
        let access = &self.enrolled.tokens.access;
        let get = |path: &str| target.get(path).bearer(access);
        vec![
            ("the host's route", get("/me"), UNAUTHENTICATED),
            ("a confirmed route", get("/confirmed"), UNAUTHENTICATED),
            ("status", get("/auth/user/confirmed-password-status"), UNAUTHENTICATED),
            ("recovery codes", get("/auth/user/two-factor-recovery-codes"), UNAUTHENTICATED),
            ("list of sessions", get("/auth/user/sessions"), UNAUTHENTICATED),
            ("confirmation", target.confirm(access, PASSWORD), UNAUTHENTICATED),
            ("link", get(&self.link), UNAUTHENTICATED),
            (
                "challenge",
                { target.challenge_by_recovery_code(&self.challenge, &self.recovery_code) },
                INVALID_CHALLENGE,
            ),
            ("login", target.login_call(&self.email, PASSWORD), INVALID_CREDENTIALS),
            ("reset", target.reset(&self.email, &self.reset_token), INVALID_RESET_TOKEN),
        ]
    }
}

async fn tokens_of_users_who_are_gone() -> Target {
    let target = Target::without_limits().await;
    let (active, deleted, inactive) = (
        Left::by(&target, "active@example.com").await,
        Left::by(&target, "deleted@example.com").await,
        Left::by(&target, "inactive@example.com").await,
    );
    target.users.remove(&deleted.email);
    target.users.update(&inactive.email, |user| user.active = false);
    for gone in [&deleted, &inactive] {
        for (what, call, refusal) in gone.requests(&target) {
            target.refuses(format!("{what} of {}", gone.email), call, refusal).await;
        }
    }
    for (what, call, _) in active.requests(&target) {
        target.serves(what, call, 200).await;
    }
    target
}

async fn refresh_tokens_of_users_who_are_gone() -> Target {
    let target = Target::start().await;
    let tokens = [
        target.register("active@example.com").await,
        target.register("deleted@example.com").await,
        target.register("inactive@example.com").await,
    ];
    target.users.remove("deleted@example.com");
    target.users.update("inactive@example.com", |user| user.active = false);
    for gone in &tokens[1..] {
        target.refuses("refresh", target.refresh_call(&gone.refresh), INVALID_REFRESH_TOKEN).await;
    }
    // What was refused while the user was inactive is not lost.
    target.users.update("inactive@example.com", |user| user.active = true);
    target.serves("active again", target.refresh_call(&tokens[2].refresh), 200).await;
    target.users.update("inactive@example.com", |user| user.active = false);
    target.refuses("in the grace", target.refresh_call(&tokens[2].refresh), INVALID_REFRESH_TOKEN).await;
    target.serves("active", target.refresh_call(&tokens[0].refresh), 200).await;
    target
}

/// A repository that fails answers nobody's question with yes.
async fn a_user_who_cannot_be_looked_up() -> Target {
    let (users, faults) = (memory_users(), faults());
    let app = App::with_everything_on(faults.over(users.clone()), users, |config| config, |module| module);
    let target = Target::on(app.await);
    let (email, body) = ("ada@example.com", json!({ "email": "ada@example.com", "password": PASSWORD }));
    let tokens = target.register(email).await;
    let requests = || {
        [
            ("list of sessions", target.get("/auth/user/sessions").bearer(&tokens.access)),
            ("status", target.get("/auth/user/confirmed-password-status").bearer(&tokens.access)),
            ("login", target.post("/auth/login").json(&body)),
        ]
    };
    for fault in [Fault::Fails, Fault::Panics] {
        faults.everywhere("users", fault);
        for (what, call) in requests() {
            target.refuses(what, call, (500, "internal_error")).await;
        }
        faults.heal();
    }
    for (what, call) in requests() {
        target.serves(what, call, 200).await;
    }
    target
}
