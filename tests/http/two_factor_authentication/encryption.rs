//! The encrypted fields (specification §16.2): what is in them, what becomes of a value that does not open, and the change of
//! the key.

use crate::support::authenticator::{Enrolled, no_code_limits};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Builder, EMAIL, forge, memory_users, sealed};
use axum_auth_module::AuthConfig;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::testing::{MemoryUsers, MovableClock};
use serde_json::json;

on_both_routers![
    the_secret_is_stored_as_a_document_that_only_the_key_opens,
    what_was_encrypted_elsewhere_with_the_same_key_is_read,
    a_secret_that_does_not_open_is_a_failure_and_never_a_login_without_it,
    recovery_codes_that_do_not_open_are_a_failure_and_never_a_login,
    what_does_not_open_can_be_replaced,
    a_secret_that_does_not_open_costs_no_try_to_confirm_it,
    what_an_earlier_key_encrypted_is_read_and_rewritten_when_it_is_next_saved,
    without_the_earlier_key_what_it_encrypted_is_a_failure,
];

const EVE: &str = "eve@example.com";
/// A key that `axum_auth_module::testing::config` does not have.
const OLD_KEY: &str = "dGhlIGtleSBvZiBsYXN0IHllYXIsIDMyIGJ5dGVzLi4=";

fn secret(users: &MemoryUsers<Account>, email: &str) -> String {
    users.by_email(email).unwrap().two_factor_secret.unwrap()
}

fn codes(users: &MemoryUsers<Account>, email: &str) -> String {
    users.by_email(email).unwrap().two_factor_recovery_codes.unwrap()
}

async fn the_secret_is_stored_as_a_document_that_only_the_key_opens() {
    let app = App::with_everything().await;
    let access = app.confirmed_session(EMAIL).await.access;
    app.verify_address(EMAIL);
    app.enable(&access).await.expect(200);
    let key = app.get("/auth/user/two-factor-secret-key").bearer(&access).await.expect(200);
    let stored = secret(&app.users, EMAIL);
    assert!(!stored.contains(key.body["secretKey"].as_str().unwrap()));
    assert_eq!(sealed::open(&stored, "1", "twoFactorSecret"), json!({ "pending": key.body["secretKey"] }));

    let code = app.authenticator(&access).await.code(&app);
    let access = app.confirm_two_factor(&access, &code).await.expect(200).tokens().access;
    let confirmed = json!({ "confirmed": key.body["secretKey"] });
    assert_eq!(sealed::open(&secret(&app.users, EMAIL), "1", "twoFactorSecret"), confirmed);

    app.enable(&access).json(&json!({ "force": true })).await.expect(200);
    let both = sealed::open(&secret(&app.users, EMAIL), "1", "twoFactorSecret");
    assert_eq!(both["confirmed"], confirmed["confirmed"]);
    assert!(both["pending"].is_string() && both["pending"] != both["confirmed"]);
}

async fn what_was_encrypted_elsewhere_with_the_same_key_is_read() {
    let app = App::with_everything().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    let id = sealed::key_id(&secret(&app.users, EMAIL)).to_owned();
    let document = json!({ "confirmed": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" });
    let imported = sealed::seal(&document, &id, "1", "twoFactorSecret");
    app.users.update(EMAIL, |user| user.two_factor_secret = Some(imported));
    let key = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    assert_eq!(key.body["secretKey"], document["confirmed"]);
}

/// Two enrolled users, and ways in which a stored text can be wrong for one of them.
struct Tampered {
    app: App,
    ada: Enrolled,
    recovery_code: String,
}

impl Tampered {
    async fn begin() -> Self {
        let app = App::with_everything_and(|config| config.limits(no_code_limits()), |module| module).await;
        let (ada, eve) = (app.enrolled(EMAIL).await, app.enrolled(EVE).await);
        drop(eve);
        let recovery_code = app.recovery_codes(&ada.tokens.access).await.remove(0);
        Self { app, ada, recovery_code }
    }

    /// Everything that is none of Ada's texts of this field.
    fn wrong(stored: &str, of_another_user: &str, of_another_field: &str) -> Vec<String> {
        let [version, id, text] = stored.split('.').collect::<Vec<_>>()[..] else { panic!("{stored}") };
        let changed = |at: usize| {
            let other = if &text[at..=at] == "A" { "B" } else { "A" };
            format!("{version}.{id}.{}{other}{}", &text[..at], &text[at + 1..])
        };
        vec![
            String::new(),
            "x".to_owned(),
            "null".to_owned(),
            "..".to_owned(),
            format!("{version}.{id}."),
            // Nonce, ciphertext and tag.
            changed(0),
            changed(20),
            changed(text.len() - 3),
            // Short by a character, without tag, without anything but a part of the nonce.
            stored[..stored.len() - 1].to_owned(),
            format!("{version}.{id}.{}", &text[..text.len() - 22]),
            format!("{version}.{id}.{}", &text[..8]),
            format!("{stored}AAAA"),
            format!("{stored}."),
            format!("v2.{id}.{text}"),
            format!("V1.{id}.{text}"),
            format!("{version}.AAAAAAAA.{text}"),
            format!("{version}..{text}"),
            text.to_owned(),
            of_another_user.to_owned(),
            of_another_field.to_owned(),
            // What opens and is no document of this field.
            sealed::seal(&json!("x"), id, "1", "twoFactorSecret"),
            sealed::seal(&json!({ "confirmed": "not base32!" }), id, "1", "twoFactorSecret"),
            sealed::seal(&json!({ "codes": 8 }), id, "1", "twoFactorRecoveryCodes"),
        ]
    }
}

async fn a_secret_that_does_not_open_is_a_failure_and_never_a_login_without_it() {
    let Tampered { app, ada, .. } = Tampered::begin().await;
    let access = &ada.tokens.access;
    let stored = secret(&app.users, EMAIL);
    for wrong in Tampered::wrong(&stored, &secret(&app.users, EVE), &codes(&app.users, EMAIL)) {
        app.users.update(EMAIL, |user| user.two_factor_secret = Some(wrong.clone()));
        for path in ["/auth/user/two-factor-qr-code", "/auth/user/two-factor-secret-key"] {
            app.get(path).bearer(access).await.refused(500, "internal_error");
        }
        app.enable(access).json(&json!({ "force": true })).await.refused(500, "internal_error");
        let token = app.challenge_token(EMAIL).await;
        for code in [&ada.authenticator.code(&app), "000000"] {
            app.challenge(&token, code).await.refused(500, "internal_error");
        }
        assert_eq!(app.enable(access).await.expect(200).members(), ["message"], "it is on");
        assert_eq!(secret(&app.users, EMAIL), wrong, "and nothing was written over it");
    }
    app.users.update(EMAIL, |user| user.two_factor_secret = None);
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &ada.authenticator.code(&app)).await.refused(500, "internal_error");

    // None of it has counted as a wrong code.
    app.users.update(EMAIL, |user| user.two_factor_secret = Some(stored));
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &ada.authenticator.code(&app)).await.expect(200);
}

async fn recovery_codes_that_do_not_open_are_a_failure_and_never_a_login() {
    let Tampered { app, ada, recovery_code } = Tampered::begin().await;
    let access = &ada.tokens.access;
    let stored = codes(&app.users, EMAIL);
    let path = "/auth/user/two-factor-recovery-codes";
    for wrong in Tampered::wrong(&stored, &codes(&app.users, EVE), &secret(&app.users, EMAIL)) {
        app.users.update(EMAIL, |user| user.two_factor_recovery_codes = Some(wrong.clone()));
        app.get(path).bearer(access).await.refused(500, "internal_error");
        let token = app.challenge_token(EMAIL).await;
        let refused = app.challenge_by_recovery_code(&token, &recovery_code).await;
        refused.refused(500, "internal_error");
        assert_eq!(codes(&app.users, EMAIL), wrong);
    }
    app.users.update(EMAIL, |user| user.two_factor_recovery_codes = Some(stored));
    let token = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&token, &recovery_code).await.expect(200);
}

/// Whoever is in can still get out of it: new codes, or two-factor off.
async fn what_does_not_open_can_be_replaced() {
    let Tampered { app, ada, .. } = Tampered::begin().await;
    app.users.update(EMAIL, |user| {
        user.two_factor_secret = Some("x".to_owned());
        user.two_factor_recovery_codes = Some("x".to_owned());
    });
    let path = "/auth/user/two-factor-recovery-codes";
    app.post(path).bearer(&ada.tokens.access).await.expect(200);
    assert_eq!(app.recovery_codes(&ada.tokens.access).await.len(), 8);
    app.disable(&ada.tokens.access).await.expect(200);
    assert!(app.logs_in_by_password_alone(EMAIL).await);
}

async fn a_secret_that_does_not_open_costs_no_try_to_confirm_it() {
    let app = App::with_everything().await;
    let access = app.confirmed_session(EMAIL).await.access;
    app.enable(&access).await.expect(200);
    let code = app.authenticator(&access).await.code(&app);
    let stored = secret(&app.users, EMAIL);
    app.users.update(EMAIL, |user| user.two_factor_secret = Some("x".to_owned()));
    for _ in 0..6 {
        app.confirm_two_factor(&access, &code).await.refused(500, "internal_error");
    }
    app.users.update(EMAIL, |user| user.two_factor_secret = Some(stored));
    app.confirm_two_factor(&access, &code).await.expect(200);
}

/// A host as it was before its key was changed, with one user enrolled.
struct LastYear {
    users: MemoryUsers<Account>,
    sessions: MemorySessions,
    enrolled: Enrolled,
    recovery_codes: Vec<String>,
}

impl LastYear {
    async fn begin() -> Self {
        let (users, clock) = (memory_users(), MovableClock::new());
        let at = clock.clone();
        let old = |_| {
            AuthConfig::builder(forge::JWT_SECRET, forge::REFRESH_SECRET, OLD_KEY)
                .bcrypt_cost(10)
                .relying_party(crate::support::passkeys::site())
                .clock(at)
        };
        let sessions = MemorySessions::new();
        let kept = |module: Builder| module.session_repo(sessions.clone());
        let mut app = App::with_everything_on(users.clone(), users.clone(), old, kept).await;
        app.clock = clock;
        let enrolled = app.enrolled(EMAIL).await;
        let recovery_codes = app.recovery_codes(&enrolled.tokens.access).await;
        Self { users, sessions, enrolled, recovery_codes }
    }

    /// The same host with the key of today.
    async fn today(&self, config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> App {
        let config = |base: AuthConfigBuilder| config(base.bcrypt_cost(10));
        let kept = |module: Builder| module.session_repo(self.sessions.clone());
        let app = App::with_everything_on(self.users.clone(), self.users.clone(), config, kept).await;
        // The code that confirmed was of the first step, which this instance does not remember.
        app.advance(60);
        app
    }
}

async fn what_an_earlier_key_encrypted_is_read_and_rewritten_when_it_is_next_saved() {
    let before = LastYear::begin().await;
    let app = before.today(|config| config.previous_encryption_keys([OLD_KEY])).await;
    let (secret, codes) = (|| secret(&app.users, EMAIL), || codes(&app.users, EMAIL));
    let old_id = sealed::key_id(&secret()).to_owned();
    assert_eq!(sealed::key_id(&codes()), old_id);
    let access = before.enrolled.tokens.access;
    app.confirm_password(&access).await;

    // Reading rewrites nothing.
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &before.enrolled.authenticator.code(&app)).await.expect(200);
    assert_eq!(app.recovery_codes(&access).await, before.recovery_codes);
    assert_eq!((sealed::key_id(&secret()), sealed::key_id(&codes())), (&*old_id, &*old_id));

    // A recovery code that is used is replaced under the new key, and the others move with it.
    let token = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&token, &before.recovery_codes[0]).await.expect(200);
    assert_ne!(sealed::key_id(&codes()), old_id);
    assert_eq!(app.recovery_codes(&access).await[1..], before.recovery_codes[1..]);
    assert_eq!(sealed::key_id(&secret()), old_id);

    // A new enrolment takes the confirmed secret along before it replaces it.
    app.enable(&access).json(&json!({ "force": true })).await.expect(200);
    assert_eq!(sealed::key_id(&secret()), sealed::key_id(&codes()));
    app.next_step();
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, &before.enrolled.authenticator.code(&app)).await.expect(200);
}

async fn without_the_earlier_key_what_it_encrypted_is_a_failure() {
    let before = LastYear::begin().await;
    let app = before.today(|config| config).await;
    let token = app.challenge_token(EMAIL).await;
    let code = before.enrolled.authenticator.code(&app);
    app.challenge(&token, &code).await.refused(500, "internal_error");
    let refused = app.challenge_by_recovery_code(&token, &before.recovery_codes[0]).await;
    refused.refused(500, "internal_error");
}
