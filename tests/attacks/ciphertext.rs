//! Encrypted fields that somebody with access to the database has changed (ASVS 11.3.3; NIST SP 800-38D). The answer is a
//! generic 500, never a login, and never "two-factor is off".

use super::target::{EVE, INTERNAL, Target, attacks};
use crate::support::authenticator::Enrolled;
use crate::support::{Account, Call, EMAIL, sealed};
use serde_json::json;

attacks! {
    on_both_routers {
        a_secret_that_was_changed: 66,
        recovery_codes_that_were_changed: 44,
    }
}

/// Two users with two-factor on.
struct Users {
    target: Target,
    ada: Enrolled,
    recovery_code: String,
}

impl Users {
    async fn new() -> Self {
        let target = Target::without_limits().await;
        let ada = target.enrolled(EMAIL).await;
        target.enrolled(EVE).await;
        let recovery_code = target.recovery_codes(&ada.tokens.access).await.remove(0);
        Self { target, ada, recovery_code }
    }

    fn stored(&self, email: &str, field: fn(&mut Account) -> &mut Option<String>) -> String {
        field(&mut self.target.users.by_email(email).unwrap()).clone().unwrap()
    }

    /// The login with the right second factor.
    async fn right(&self, with: fn(&Self, &str) -> Call) -> Call {
        with(self, &self.target.challenge_token(EMAIL).await)
    }

    fn by_code(&self, challenge: &str) -> Call {
        self.target.challenge(challenge, &self.ada.authenticator.code(&self.target))
    }

    fn by_recovery_code(&self, challenge: &str) -> Call {
        self.target.challenge_by_recovery_code(challenge, &self.recovery_code)
    }
}

fn secret(user: &mut Account) -> &mut Option<String> {
    &mut user.two_factor_secret
}

fn recovery_codes(user: &mut Account) -> &mut Option<String> {
    &mut user.two_factor_recovery_codes
}

/// What the field of a user could be changed to: none of it is one of Ada's texts of this field.
fn changed(stored: &str, of_another_user: &str, of_another_field: &str) -> Vec<(&'static str, String)> {
    let [version, id, text] = stored.split('.').collect::<Vec<_>>()[..] else { panic!("{stored}") };
    let flipped = |at: usize| {
        let other = if &text[at..=at] == "A" { "B" } else { "A" };
        format!("{version}.{id}.{}{other}{}", &text[..at], &text[at + 1..])
    };
    vec![
        ("empty", String::new()),
        ("a word", "plaintext".to_owned()),
        ("null", "null".to_owned()),
        ("empty parts", "..".to_owned()),
        ("no ciphertext", format!("{version}.{id}.")),
        ("another nonce", flipped(0)),
        ("another ciphertext", flipped(20)),
        ("another tag", flipped(text.len() - 3)),
        ("a tag that is too short", stored[..stored.len() - 1].to_owned()),
        ("a tag of four bytes", format!("{version}.{id}.{}", &text[..text.len() - 16])),
        ("no tag", format!("{version}.{id}.{}", &text[..text.len() - 22])),
        ("a part of the nonce", format!("{version}.{id}.{}", &text[..8])),
        ("more bytes", format!("{stored}AAAA")),
        ("a part more", format!("{stored}.{text}")),
        ("an unknown version", format!("v2.{id}.{text}")),
        ("no version", format!("{id}.{text}")),
        ("an unknown key", format!("{version}.AAAAAAAA.{text}")),
        ("no key", format!("{version}..{text}")),
        ("the text of another user", of_another_user.to_owned()),
        ("the text of another field", of_another_field.to_owned()),
        ("no document", sealed::seal(&json!("x"), id, "1", "twoFactorSecret")),
        (
            "a document of something else",
            sealed::seal(&json!({ "codes": 8 }), id, "1", "twoFactorRecoveryCodes"),
        ),
    ]
}

async fn a_secret_that_was_changed() -> Target {
    let users = Users::new().await;
    let Users { target, ada, .. } = &users;
    let stored = users.stored(EMAIL, secret);
    for (what, text) in changed(&stored, &users.stored(EVE, secret), &users.stored(EMAIL, recovery_codes)) {
        target.users.update(EMAIL, |user| user.two_factor_secret = Some(text));
        target.refuses(what, users.right(Users::by_code).await, INTERNAL).await;
        let key = target.get("/auth/user/two-factor-secret-key").bearer(&ada.tokens.access);
        target.refuses(what, key, INTERNAL).await;
        target.withstands(what, !target.logs_in_by_password_alone(EMAIL).await);
    }
    target.users.update(EMAIL, |user| user.two_factor_secret = Some(stored));
    target.serves("the stored text", users.right(Users::by_code).await, 200).await;
    users.target
}

async fn recovery_codes_that_were_changed() -> Target {
    let users = Users::new().await;
    let Users { target, ada, .. } = &users;
    let stored = users.stored(EMAIL, recovery_codes);
    for (what, text) in changed(&stored, &users.stored(EVE, recovery_codes), &users.stored(EMAIL, secret)) {
        target.users.update(EMAIL, |user| user.two_factor_recovery_codes = Some(text));
        target.refuses(what, users.right(Users::by_recovery_code).await, INTERNAL).await;
        let codes = target.get("/auth/user/two-factor-recovery-codes").bearer(&ada.tokens.access);
        target.refuses(what, codes, INTERNAL).await;
    }
    target.users.update(EMAIL, |user| user.two_factor_recovery_codes = Some(stored));
    target.serves("the stored text", users.right(Users::by_recovery_code).await, 200).await;
    users.target
}
