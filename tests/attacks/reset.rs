//! Password resets: tokens that are not the newest one of the stored address, and resets that fail half-way (ASVS 6.4.3;
//! OWASP Forgot Password Cheat Sheet).

use super::target::{
    EVE, INTERNAL, INVALID_CREDENTIALS, INVALID_RESET_TOKEN, Target, UNAUTHENTICATED, attacks,
};
use crate::reset_passwords::reset_password::NEW;
use crate::support::providers::{Behaviour, FaultyActions, Outbox, faults};
use crate::support::{App, Builder, EMAIL, PASSWORD, Tokens, reset_key};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::repository::PasswordResetRepository;
use axum_auth_module::testing::{Fault, MemoryPasswordResets, ProviderMethod};
use serde_json::{Value, json};
use std::time::Duration;

attacks! {
    on_both_routers {
        tokens_that_are_almost_the_right_one: 17,
        bodies: 9,
        tokens_of_before: 5,
        tokens_of_before_a_change_of_the_password: 1,
        a_recovery_that_somebody_else_wants_to_cancel: 1,
        tokens_at_other_accounts: 5,
        a_token_after_an_hour: 2,
        a_token_after_a_change_of_the_address: 4,
        what_a_reset_leaves_to_a_thief: 4,
        a_reset_that_breaks: 4,
    }
}

async fn tokens_that_are_almost_the_right_one() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let token = target.reset_token(EMAIL).await;
    let stored = target.resets.find_by_email(&reset_key(EMAIL)).await.unwrap().unwrap().token;
    let other = |at: usize| if &token[at..=at] == "0" { "1" } else { "0" };
    for almost in [
        format!("{}{}", other(0), &token[1..]),
        format!("{}{}", &token[..63], other(63)),
        token[..63].to_owned(),
        token[1..].to_owned(),
        format!("{token}0"),
        format!("0{token}"),
        format!("{token}\0"),
        format!("{token}\0{token}"),
        format!("{token}{token}"),
        format!(" {token}"),
        format!("{token}\n"),
        token.to_uppercase() + "A",
        "0".repeat(64),
        stored,
        "%".to_owned(),
        "x".repeat(60_000),
        "undefined".to_owned(),
    ] {
        let shown: String = almost.chars().take(70).collect();
        target.refuses(shown, target.reset(EMAIL, &almost), INVALID_RESET_TOKEN).await;
    }
    target.serves("the token", target.reset(EMAIL, &token), 200).await;
    target
}

async fn bodies() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let token = target.reset_token(EMAIL).await;
    let reset = |email: &Value, token: &Value| {
        let body = json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
        target.post("/auth/reset-password").json(&body)
    };
    let (email, right) = (json!(EMAIL), json!(token));
    for (email, token, error) in [
        (&email, json!(null), "token: required"),
        (&email, json!(""), "token: required"),
        (&email, json!([token]), "token: wrong_type"),
        (&email, json!({ "$ne": "" }), "token: wrong_type"),
        (&email, json!(true), "token: wrong_type"),
        (&json!([EMAIL, EVE]), right.clone(), "email: wrong_type"),
        (&json!({ "$gt": "" }), right.clone(), "email: wrong_type"),
        (&json!(null), right.clone(), "email: required"),
        (&json!(format!("{EMAIL},{EVE}")), right.clone(), "email: invalid"),
    ] {
        target.refuses_fields(error, reset(email, &token), &[error]).await;
    }
    target.serves("texts", reset(&email, &right), 200).await;
    target
}

async fn tokens_of_before() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    // For ten minutes every mail has the same token.
    let first = target.reset_token(EMAIL).await;
    target.advance(600);
    let second = target.reset_token(EMAIL).await;
    target.advance(600);
    let third = target.reset_token(EMAIL).await;
    for token in [&first, &second] {
        target.refuses("not the newest", target.reset(EMAIL, token), INVALID_RESET_TOKEN).await;
    }
    target.serves("the newest", target.reset(EMAIL, &third), 200).await;
    for token in [&first, &second, &third] {
        target.refuses("after a reset", target.reset(EMAIL, token), INVALID_RESET_TOKEN).await;
    }
    target
}

/// A user who changes the password does not need a reset token. One that was requested earlier may be an attacker's.
async fn tokens_of_before_a_change_of_the_password() -> Target {
    let target = Target::without_limits().await;
    let access = target.register(EMAIL).await.access;
    let token = target.reset_token(EMAIL).await;
    let call = target.change_password_to(&access, PASSWORD, PASSWORD);
    target.serves("password", call, 200).await;
    target.refuses("password", target.reset(EMAIL, &token), INVALID_RESET_TOKEN).await;
    let newest = target.reset_token(EMAIL).await;
    target.serves("one of afterwards", target.reset(EMAIL, &newest), 200).await;
    target
}

/// Who is in a session changes the second factor, or claims to: the owner's token stays.
async fn a_recovery_that_somebody_else_wants_to_cancel() -> Target {
    let target = Target::without_limits().await;
    let mut access = target.register(EMAIL).await.access;
    target.verify_address(EMAIL);
    let token = target.reset_token(EMAIL).await;
    target.confirm_password(&access).await;
    for _ in 0..3 {
        access = target.serves("nothing to disable", target.disable(&access), 200).await.tokens().access;
    }
    target.enable(&access).await.expect(200);
    let code = target.authenticator(&access).await.code(&target);
    let answer = target.serves("two-factor on", target.confirm_two_factor(&access, &code), 200).await;
    let answer = target.serves("two-factor off", target.disable(&answer.tokens().access), 200).await;
    target.serves("the owner's token", target.reset(EMAIL, &token), 200).await;
    let ended = target.get("/claims").bearer(&answer.tokens().access);
    target.refuses("the session", ended, UNAUTHENTICATED).await;
    target
}

async fn tokens_at_other_accounts() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    target.register(EVE).await;
    let (adas, eves) = (target.reset_token(EMAIL).await, target.reset_token(EVE).await);
    for (email, token) in [
        (EVE, &adas),
        (EMAIL, &eves),
        ("nobody@example.com", &adas),
        ("ada+1@example.com", &adas),
        ("ada@example.org", &adas),
    ] {
        target.refuses(email, target.reset(email, token), INVALID_RESET_TOKEN).await;
    }
    target.serves("Ada's", target.reset(EMAIL, &adas), 200).await;
    target.serves("Eve's own password", target.login_call(EVE, PASSWORD), 200).await;
    target.serves("Eve's", target.reset(EVE, &eves), 200).await;
    target
}

async fn a_token_after_an_hour() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let token = target.reset_token(EMAIL).await;
    target.advance(3600);
    target.refuses("right", target.reset(EMAIL, &token), (422, "expired_reset_token")).await;
    // A client without the token does not learn that there was one.
    target.refuses("wrong", target.reset(EMAIL, &"0".repeat(64)), INVALID_RESET_TOKEN).await;
    let token = target.reset_token(EMAIL).await;
    target.clock.advance(Duration::from_millis(3_599_999));
    target.serves("a millisecond before", target.reset(EMAIL, &token), 200).await;
    target
}

async fn a_token_after_a_change_of_the_address() -> Target {
    let target = Target::with_addresses_of_profiles().await;
    let access = target.register(EMAIL).await.access;
    let token = target.reset_token(EMAIL).await;
    target.serves("change", target.move_to(&access, "lovelace@example.com"), 200).await;
    for email in [EMAIL, "lovelace@example.com"] {
        target.refuses(email, target.reset(email, &token), INVALID_RESET_TOKEN).await;
    }
    // Somebody else registers the former address.
    target.register(EMAIL).await;
    target.refuses("its new owner", target.reset(EMAIL, &token), INVALID_RESET_TOKEN).await;
    let token = target.reset_token(EMAIL).await;
    let call = target.reset("lovelace@example.com", &token);
    target.refuses("the token of the new owner", call, INVALID_RESET_TOKEN).await;
    target.serves("the new owner's token", target.reset(EMAIL, &token), 200).await;
    target
}

/// The thief knows the password and has a session: a reset ends both.
async fn what_a_reset_leaves_to_a_thief() -> Target {
    let target = Target::without_limits().await;
    let thiefs: [Tokens; 2] = [target.register(EMAIL).await, target.login(EMAIL).await];
    target.confirm_password(&thiefs[0].access).await;
    let token = target.reset_token(EMAIL).await;
    let answer = target.serves("reset", target.reset(EMAIL, &token), 200).await;
    assert!(!answer.has_credentials(), "{}", answer.text);
    for tokens in &thiefs {
        target.refuses("session", target.get("/claims").bearer(&tokens.access), UNAUTHENTICATED).await;
    }
    target
        .refuses("confirmed session", target.get("/confirmed").bearer(&thiefs[0].access), UNAUTHENTICATED)
        .await;
    target.refuses("password", target.login_call(EMAIL, PASSWORD), INVALID_CREDENTIALS).await;
    target.serves("the new password", target.login_call(EMAIL, NEW), 200).await;
    target
}

/// Whichever part of a reset fails, the token was used or the password is the old one, and never neither.
async fn a_reset_that_breaks() -> Target {
    let (faults, actions, outbox) = (faults(), FaultyActions::default(), Outbox::default());
    let providers = (faults.over(MemoryPasswordResets::new()), actions.clone(), outbox.clone());
    let module = |module: Builder| module.reset_passwords(providers.0, providers.1, providers.2);
    let target = Target::with_module(|config| config, module).await;
    target.register(EMAIL).await;
    let mut password = PASSWORD.to_owned();
    for part in ["action", "look-up"] {
        let token = delivered(&target, &outbox).await;
        match part {
            "action" => actions.before.set(Behaviour::FAIL),
            _ => faults.next(ProviderMethod::ResetsFindByEmail, Fault::Fails),
        }
        target.refuses(part, target.reset(EMAIL, &token), INTERNAL).await;
        actions.before.set(Behaviour::WELL);
        target.serves("the old password", target.login_call(EMAIL, &password), 200).await;
        target.serves("the token", target.reset(EMAIL, &token), 200).await;
        NEW.clone_into(&mut password);
    }
    let token = delivered(&target, &outbox).await;
    actions.after.set(Behaviour::FAIL);
    target.refuses("after the action", target.reset(EMAIL, &token), INTERNAL).await;
    actions.after.set(Behaviour::WELL);
    faults.always(ProviderMethod::ResetsDeleteByEmail, Fault::Fails);
    let token = delivered(&target, &outbox).await;
    target.serves("a deletion that fails", target.reset(EMAIL, &token), 200).await;
    target.refuses("what was not deleted", target.reset(EMAIL, &token), INVALID_RESET_TOKEN).await;
    target
}

async fn delivered(app: &App, outbox: &Outbox) -> String {
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    outbox.next::<PasswordResetMessage>().await.token
}
