//! One-time codes (RFC 6238 §5.2, RFC 4226 §7; ASVS 6.5.1, 6.5.5).

use super::target::{EVE, INVALID_CODE, Target, attacks};
use crate::support::authenticator::{Authenticator, Enrolled};
use crate::support::{App, Call, EMAIL, PASSWORD, sealed};
use axum_auth_module::config::TwoFactorOptions;

attacks! {
    on_both_routers {
        shapes: 24,
        shapes_at_the_set_up: 24,
        codes_outside_of_the_window: 12,
        codes_that_were_used: 8,
        a_code_after_a_newer_one: 2,
        codes_of_others: 3,
        an_enrolment_that_was_abandoned: 3,
    }
}

/// What looks like a code and is none. A library for numbers would read some of them as one.
fn similar_ones(code: &str) -> Vec<String> {
    let digits = |zero: u32| -> String {
        code.bytes().map(|digit| char::from_u32(u32::from(digit - b'0') + zero).unwrap()).collect()
    };
    let (first, last) = code.split_at(3);
    vec![
        format!(" {code}"),
        format!("{code} "),
        format!("{code}\n"),
        format!("{code}\0"),
        format!("{code}.0"),
        format!("{first} {last}"),
        format!("{first}-{last}"),
        format!("+{code}"),
        format!("-{code}"),
        format!("0{code}"),
        format!("{code}0"),
        format!("{code}{code}"),
        format!("[\"{code}\"]"),
        format!("{code},{code}"),
        first.to_owned(),
        code[1..].to_owned(),
        format!("0x{:x}", code.parse::<u32>().unwrap()),
        // Digits of other alphabets: full width, Arabic, Devanagari.
        digits(0xff10),
        digits(0x660),
        digits(0x966),
        "1e5".to_owned(),
        "%".to_owned(),
        "null".to_owned(),
        "9".repeat(10_000),
    ]
}

/// Answers a new challenge of the user.
async fn answer(target: &Target, email: &str, code: &str) -> Call {
    target.challenge(&target.challenge_token(email).await, code)
}

async fn shapes() -> Target {
    let target = Target::without_limits().await;
    let Enrolled { authenticator, .. } = target.enrolled(EMAIL).await;
    let code = authenticator.code(&target);
    for shape in similar_ones(&code) {
        target.refuses(&shape, answer(&target, EMAIL, &shape).await, INVALID_CODE).await;
    }
    target.serves("the code", answer(&target, EMAIL, &code).await, 200).await;
    target
}

async fn shapes_at_the_set_up() -> Target {
    let target = Target::without_limits().await;
    let access = target.confirmed_session(EMAIL).await.access;
    target.enable(&access).await.expect(200);
    let code = target.authenticator(&access).await.code(&target);
    for shape in similar_ones(&code) {
        target.refuses(&shape, target.confirm_two_factor(&access, &shape), INVALID_CODE).await;
    }
    target.serves("the code", target.confirm_two_factor(&access, &code), 200).await;
    target
}

async fn codes_outside_of_the_window() -> Target {
    let window: i64 = 2;
    let mut options = TwoFactorOptions::default();
    options.window = 2;
    let target = Target::with(|config| config.two_factor(options)).await;
    for (at, edge) in [-window, window].into_iter().enumerate() {
        let email = format!("user{at}@example.com");
        let Enrolled { authenticator, .. } = target.enrolled(&email).await;
        // Away from the code that confirmed.
        target.advance(30 * 40);
        for beyond in [1, 2, 3, 10, 100, 2_880] {
            let code = authenticator.code_in(&target, edge + beyond * edge.signum());
            target.refuses(beyond, answer(&target, &email, &code).await, INVALID_CODE).await;
        }
        let code = authenticator.code_in(&target, edge);
        target.serves("at the edge", answer(&target, &email, &code).await, 200).await;
    }
    target
}

async fn codes_that_were_used() -> Target {
    let target = Target::without_limits().await;
    let access = target.confirmed_session(EMAIL).await.access;
    target.enable(&access).await.expect(200);
    let authenticator = target.authenticator(&access).await;
    let set_up = authenticator.code(&target);
    target.serves("set-up", target.confirm_two_factor(&access, &set_up), 200).await;
    // In its own step, and while it is within the window.
    for _ in 0..2 {
        target.refuses("of the set-up", answer(&target, EMAIL, &set_up).await, INVALID_CODE).await;
        target.next_step();
    }
    let code = authenticator.code(&target);
    let waiting = target.challenge_token(EMAIL).await;
    target.serves("unused", answer(&target, EMAIL, &code).await, 200).await;
    target.refuses("with a challenge of before", target.challenge(&waiting, &code), INVALID_CODE).await;
    for client in ["192.0.2.1", "203.0.113.7"] {
        let call = answer(&target, EMAIL, &code).await.from(client);
        target.refuses(client, call, INVALID_CODE).await;
    }
    target.next_step();
    target.refuses("a step later", answer(&target, EMAIL, &code).await, INVALID_CODE).await;
    target.advance(30 * 10);
    target.refuses("ten steps later", answer(&target, EMAIL, &code).await, INVALID_CODE).await;
    let next = authenticator.code(&target);
    target.serves("the next one", answer(&target, EMAIL, &next).await, 200).await;
    target.refuses("it again", answer(&target, EMAIL, &next).await, INVALID_CODE).await;
    target
}

async fn a_code_after_a_newer_one() -> Target {
    let target = Target::without_limits().await;
    let Enrolled { authenticator, .. } = target.enrolled(EMAIL).await;
    target.next_step();
    let code = |steps| authenticator.code_in(&target, steps);
    target.serves("the code of now", answer(&target, EMAIL, &code(0)).await, 200).await;
    target.refuses("the one before", answer(&target, EMAIL, &code(-1)).await, INVALID_CODE).await;
    target.serves("an app that is ahead", answer(&target, EMAIL, &code(1)).await, 200).await;
    target.refuses("the code of now", answer(&target, EMAIL, &code(0)).await, INVALID_CODE).await;
    target
}

/// Two accounts that were set up with one secret spend their codes for themselves; other codes are worthless.
async fn codes_of_others() -> Target {
    let target = Target::without_limits().await;
    let ada = target.enrolled(EMAIL).await;
    let eve = target.enrolled(EVE).await;
    let others = eve.authenticator.code(&target);
    target.refuses("the code of another user", answer(&target, EMAIL, &others).await, INVALID_CODE).await;
    share_secret(&target);
    let shared = ada.authenticator.code(&target);
    for email in [EMAIL, EVE] {
        target.serves("spent by the other account", answer(&target, email, &shared).await, 200).await;
        target.refuses("spent by this one", answer(&target, email, &shared).await, INVALID_CODE).await;
    }
    target
}

/// Gives Eve's account the secret of Ada's.
fn share_secret(app: &App) {
    let secret = app.users.by_email(EMAIL).unwrap().two_factor_secret.unwrap();
    let document = sealed::open(&secret, "1", "twoFactorSecret");
    let copy = sealed::seal(&document, sealed::key_id(&secret), "2", "twoFactorSecret");
    app.users.update(EVE, |eve| eve.two_factor_secret = Some(copy));
}

/// Neither whoever begins an enrolment nor whoever begins a second one is locked out, and a pending secret opens nothing.
async fn an_enrolment_that_was_abandoned() -> Target {
    let target = Target::without_limits().await;
    let access = target.confirmed_session(EVE).await.access;
    target.enable(&access).await.expect(200);
    target.serves("the password alone", target.login_call(EVE, PASSWORD), 200).await;
    target.withstands("nobody is asked for a code of it", target.logs_in_by_password_alone(EVE).await);

    let enrolled = target.enrolled(EMAIL).await;
    let access = &enrolled.tokens.access;
    target.enable(access).json(&serde_json::json!({ "force": true })).await.expect(200);
    let pending: Authenticator = target.authenticator(access).await;
    let code = pending.code(&target);
    target.refuses("a code of the pending one", answer(&target, EMAIL, &code).await, INVALID_CODE).await;
    let code = enrolled.authenticator.code(&target);
    target.refuses("the old one confirms", target.confirm_two_factor(access, &code), INVALID_CODE).await;
    target.serves("the old one logs in", answer(&target, EMAIL, &code).await, 200).await;
    target
}
