//! Recovery codes: near misses, and codes that were used, replaced or are another user's (ASVS 6.5.1, 6.5.2, 6.5.3).

use super::target::{EVE, INVALID_CODE, INVALID_RECOVERY_CODE, Target, attacks};
use crate::support::{Call, EMAIL};

attacks! {
    on_both_routers {
        near_misses: 24,
        codes_that_do_not_count_any_more: 13,
        codes_in_the_field_of_others: 3,
    }
}

/// A user with two-factor on, and the codes.
struct Codes {
    target: Target,
    access: String,
    codes: Vec<String>,
}

impl Codes {
    async fn new() -> Self {
        let target = Target::without_limits().await;
        let access = target.enrolled(EMAIL).await.tokens.access;
        let codes = target.recovery_codes(&access).await;
        Self { target, access, codes }
    }

    /// Answers a new challenge.
    async fn answer(&self, code: &str) -> Call {
        self.target.challenge_by_recovery_code(&self.target.challenge_token(EMAIL).await, code)
    }

    async fn is_refused(&self, what: &str, code: &str) {
        self.target.refuses(what, self.answer(code).await, INVALID_RECOVERY_CODE).await;
    }
}

async fn near_misses() -> Target {
    let user = Codes::new().await;
    let (code, second) = (&user.codes[0], &user.codes[1]);
    let (one, other) = code.split_once('-').unwrap();
    let swapped =
        |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let (mixed, wide): (String, String) = (
        code.chars().map(swapped).collect(),
        code.chars().map(|c| char::from_u32(c as u32 + 0xfee0).unwrap()).collect(),
    );
    for miss in [
        mixed,
        wide,
        format!(" {code}"),
        format!("{code} "),
        format!("{code}\n"),
        format!("{code}\0"),
        format!("{one}{other}"),
        format!("{one} {other}"),
        format!("{one}_{other}"),
        format!("{one}\u{2013}{other}"),
        format!("{one}--{other}"),
        format!("{other}-{one}"),
        format!("{one}-"),
        one.to_owned(),
        code[..20].to_owned(),
        code[1..].to_owned(),
        format!("{code}A"),
        format!("{code},{second}"),
        format!("{code}{second}"),
        format!("[\"{code}\"]"),
        "%".to_owned(),
        ".*".to_owned(),
        "-".to_owned(),
        "x".repeat(50_000),
    ] {
        let shown: String = miss.chars().take(60).collect();
        user.is_refused(&shown, &miss).await;
    }
    user.target.serves("the code", user.answer(code).await, 200).await;
    user.target
}

async fn codes_that_do_not_count_any_more() -> Target {
    let user = Codes::new().await;
    let Codes { target, access, codes } = &user;
    target.serves("first use", user.answer(&codes[3]).await, 200).await;
    for what in ["second use", "third use"] {
        user.is_refused(what, &codes[3]).await;
    }
    let path = "/auth/user/two-factor-recovery-codes";
    target.serves("new ones", target.post(path).bearer(access), 200).await;
    for code in codes {
        user.is_refused("of before", code).await;
    }
    let new = target.recovery_codes(access).await;
    target.serves("one of the new ones", user.answer(&new[0]).await, 200).await;
    // A new enrolment makes new ones, too.
    let access = target.disable(access).await.expect(200).tokens().access;
    target.withstands("switched off", target.logs_in_by_password_alone(EMAIL).await);
    target.enable(&access).await.expect(200);
    let code = target.authenticator(&access).await.code(target);
    let access = target.confirm_two_factor(&access, &code).await.expect(200).tokens().access;
    for code in &new[1..3] {
        user.is_refused("of the enrolment before", code).await;
    }
    let newest = target.recovery_codes(&access).await;
    target.serves("one of the newest", user.answer(&newest[7]).await, 200).await;
    user.target
}

async fn codes_in_the_field_of_others() -> Target {
    let user = Codes::new().await;
    let Codes { target, access, codes } = &user;
    let eve = target.enrolled(EVE).await;
    let others = target.recovery_codes(&eve.tokens.access).await;
    user.is_refused("of another user", &others[0]).await;
    let challenge = target.challenge_token(EMAIL).await;
    target.refuses("as a code of the app", target.challenge(&challenge, &codes[0]), INVALID_CODE).await;
    let six_digits = target.authenticator(access).await.code(target);
    user.is_refused("a code of the app", &six_digits).await;
    target.serves("in its own field", user.answer(&codes[0]).await, 200).await;
    user.target
}
