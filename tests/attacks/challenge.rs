//! The step between the password and the second factor (ASVS 6.3.1, 6.5.5, 6.6.3).

use super::target::{EVE, INVALID_CHALLENGE, INVALID_CODE, INVALID_RECOVERY_CODE, TOO_MANY, Target, attacks};
use crate::reset_passwords::reset_password::NEW;
use crate::support::authenticator::Enrolled;
use crate::support::{Call, EMAIL, PASSWORD};
use serde_json::{Value, json};
use std::time::Duration;

attacks! {
    on_both_routers {
        bodies: 11,
        a_challenge_that_was_answered: 2,
        a_challenge_that_is_too_old: 2,
        a_challenge_of_credentials_that_have_changed: 4,
        five_wrong_codes_with_one_challenge: 8,
        wrong_codes_with_many_challenges: 9,
        a_count_that_is_laundered: 7,
        the_second_factor_of_another_user: 2,
    }
}

/// A user who has shown the password.
struct Waiting {
    target: Target,
    enrolled: Enrolled,
    challenge: String,
}

impl Waiting {
    async fn on(target: Target) -> Self {
        let enrolled = target.enrolled(EMAIL).await;
        let challenge = target.challenge_token(EMAIL).await;
        Self { target, enrolled, challenge }
    }

    /// The right code with this challenge.
    fn right(&self, challenge: &str) -> Call {
        self.target.challenge(challenge, &self.enrolled.authenticator.code(&self.target))
    }

    fn wrong(&self, challenge: &str) -> Call {
        self.target.challenge(challenge, &self.enrolled.authenticator.wrong_code(&self.target))
    }
}

async fn bodies() -> Target {
    let waiting = Waiting::on(Target::start().await).await;
    let Waiting { target, enrolled, challenge } = &waiting;
    let code = enrolled.authenticator.code(target);
    let post = |body: Value| target.post("/auth/two-factor-challenge").challenge(challenge, body);
    for (body, error) in [
        (json!({}), "code: required"),
        (json!({ "code": "" }), "code: required"),
        (json!({ "code": null }), "code: required"),
        (json!({ "code": code.parse::<u32>().unwrap() }), "code: wrong_type"),
        (json!({ "code": [code] }), "code: wrong_type"),
        (json!({ "code": { "$ne": "" } }), "code: wrong_type"),
        (json!({ "code": true }), "code: wrong_type"),
        (json!({ "code": code, "recoveryCode": "x" }), "recoveryCode: conflict"),
        (json!({ "recoveryCode": "" }), "recoveryCode: required"),
        (json!({ "recoveryCode": true }), "recoveryCode: wrong_type"),
        (json!({ "recoveryCode": ["x"] }), "recoveryCode: wrong_type"),
    ] {
        target.refuses_fields(&body, post(body.clone()), &[error]).await;
    }
    // More than five of these were no attempts.
    target.serves("a right body", post(json!({ "code": code })), 200).await;
    waiting.target
}

async fn a_challenge_that_was_answered() -> Target {
    let waiting = Waiting::on(Target::start().await).await;
    let Waiting { target, enrolled, challenge } = &waiting;
    let recovery_code = target.recovery_codes(&enrolled.tokens.access).await.remove(0);
    target.serves("first use", waiting.right(challenge), 200).await;
    target.next_step();
    target.refuses("a new code", waiting.right(challenge), INVALID_CHALLENGE).await;
    let call = target.challenge_by_recovery_code(challenge, &recovery_code);
    target.refuses("a recovery code", call, INVALID_CHALLENGE).await;
    let next = target.challenge_token(EMAIL).await;
    let call = target.challenge_by_recovery_code(&next, &recovery_code);
    target.serves("it was not spent in vain", call, 200).await;
    waiting.target
}

async fn a_challenge_that_is_too_old() -> Target {
    let waiting = Waiting::on(Target::start().await).await;
    let Waiting { target, challenge, .. } = &waiting;
    let second = target.challenge_token(EMAIL).await;
    target.clock.advance(Duration::from_secs(298));
    target.serves("after 298 seconds", waiting.right(challenge), 200).await;
    target.clock.advance(Duration::from_secs(30));
    target.refuses("after 328 seconds", waiting.right(&second), INVALID_CHALLENGE).await;
    target.advance(24 * 3600);
    target.refuses("after a day", waiting.right(&second), INVALID_CHALLENGE).await;
    waiting.target
}

async fn a_challenge_of_credentials_that_have_changed() -> Target {
    let waiting = Waiting::on(Target::start().await).await;
    let Waiting { target, enrolled, challenge } = &waiting;
    let refused = async |after: &str, challenge: &str| {
        target.refuses(after, waiting.right(challenge), INVALID_CHALLENGE).await;
    };
    let call = target.change_password(&enrolled.tokens.access);
    let access = target.serves("password", call, 200).await.tokens().access;
    refused("after a change of the password", challenge).await;
    let challenge = target.login_call(EMAIL, NEW).await.expect(200).challenge().unwrap();
    // The mailbox stands for the password, and not for the second factor.
    target.verify_address(EMAIL);
    let token = target.reset_token(EMAIL).await;
    target.reset(EMAIL, &token).await.expect(200);
    refused("after a reset", &challenge).await;
    target
        .refuses("the session of before", target.get("/me").bearer(&access), (401, "unauthenticated"))
        .await;

    let challenge = target.login_call(EMAIL, NEW).await.expect(200).challenge().unwrap();
    let access = target.serves("login", waiting.right(&challenge), 200).await.tokens().access;
    let challenge = target.login_call(EMAIL, NEW).await.expect(200).challenge().unwrap();
    target.confirm(&access, NEW).await.expect(200);
    target.serves("two-factor off", target.disable(&access), 200).await;
    refused("after it was switched off", &challenge).await;
    waiting.target
}

async fn five_wrong_codes_with_one_challenge() -> Target {
    let waiting = Waiting::on(Target::without_limits().await).await;
    let Waiting { target, enrolled, challenge } = &waiting;
    let recovery_code = target.recovery_codes(&enrolled.tokens.access).await.remove(0);
    for _ in 0..4 {
        target.refuses("wrong code", waiting.wrong(challenge), INVALID_CODE).await;
    }
    // Both kinds of codes are one count.
    let call = target.challenge_by_recovery_code(challenge, "no recovery code");
    target.refuses("wrong recovery code", call, INVALID_RECOVERY_CODE).await;
    target.refuses("right code", waiting.right(challenge), INVALID_CHALLENGE).await;
    let call = target.challenge_by_recovery_code(challenge, &recovery_code);
    target.refuses("right recovery code", call, INVALID_CHALLENGE).await;
    target.advance(60);
    target.refuses("a minute later", waiting.right(challenge), INVALID_CHALLENGE).await;
    let next = target.challenge_token(EMAIL).await;
    target.serves("the next challenge", waiting.right(&next), 200).await;
    waiting.target
}

async fn wrong_codes_with_many_challenges() -> Target {
    let waiting = Waiting::on(Target::start().await).await;
    let Waiting { target, challenge, .. } = &waiting;
    let others = [target.challenge_token(EMAIL).await, target.challenge_token(EMAIL).await];
    for challenge in [challenge, &others[0], challenge, &others[1], challenge] {
        target.refuses("wrong code", waiting.wrong(challenge), INVALID_CODE).await;
    }
    for challenge in [challenge, &others[0], &others[1]] {
        target.refuses("right code", waiting.right(challenge), TOO_MANY).await;
    }
    let new = target.challenge_token(EMAIL).await;
    target.refuses("new challenge", waiting.right(&new), TOO_MANY).await;
    target.advance(60);
    target.serves("a minute later", waiting.right(&new), 200).await;
    waiting.target
}

/// The attacker knows the password, guesses codes, and does something that succeeds before the limit is reached.
async fn a_count_that_is_laundered() -> Target {
    let waiting = Waiting::on(Target::start().await).await;
    let Waiting { target, enrolled, challenge } = &waiting;
    let eve = target.enrolled(EVE).await;
    for _ in 0..4 {
        target.refuses("wrong code", waiting.wrong(challenge), INVALID_CODE).await;
    }
    target.log_in_by_code(EVE, &eve.authenticator).await;
    target.confirm_password(&enrolled.tokens.access).await;
    let new = target.challenge_token(EMAIL).await;
    target.refuses("the fifth", waiting.wrong(&new), INVALID_CODE).await;
    target.next_step();
    target.log_in_by_code(EVE, &eve.authenticator).await;
    target.refuses("the sixth", waiting.wrong(&new), TOO_MANY).await;
    target.refuses("the right one", waiting.right(&new), TOO_MANY).await;
    target.advance(60);
    target.serves("a minute later", waiting.right(&new), 200).await;
    waiting.target
}

async fn the_second_factor_of_another_user() -> Target {
    let waiting = Waiting::on(Target::start().await).await;
    let Waiting { target, challenge, .. } = &waiting;
    let eve = target.enrolled(EVE).await;
    let codes = target.recovery_codes(&eve.tokens.access).await;
    let code = eve.authenticator.code(target);
    target.refuses("code", target.challenge(challenge, &code), INVALID_CODE).await;
    let call = target.challenge_by_recovery_code(challenge, &codes[0]);
    target.refuses("recovery code", call, INVALID_RECOVERY_CODE).await;
    let answer = target.serves("own code", waiting.right(challenge), 200).await;
    let me = target.get("/me").bearer(&answer.tokens().access);
    target.works("the session is one's own", me.await.text == EMAIL);
    target.login_call(EVE, PASSWORD).await.expect(200);
    waiting.target
}
