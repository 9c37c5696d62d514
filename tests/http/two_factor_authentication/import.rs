//! Second factors that users have set up in another program: `admin().import_two_factor`.

use crate::support::authenticator::Authenticator;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, Tokens};
use axum_auth_module::events::Actor;
use axum_auth_module::services::ImportedTwoFactor;
use std::collections::HashSet;
use std::time::{Duration, UNIX_EPOCH};

on_both_routers![
    an_imported_second_factor_is_asked_for_and_ends_every_session,
    without_recovery_codes_there_are_eight_new_ones,
    what_a_user_has_set_up_here_stays,
];

/// 80 bits, as many apps and programs have them.
const SECRET: &str = "GEZDGNBVGY3TQOJQ";
const CODES: [&str; 2] = ["4f3c29a1", "a.code/of=another+program"];

fn factor() -> ImportedTwoFactor {
    let codes = CODES.map(str::to_owned).to_vec();
    ImportedTwoFactor::new(SECRET).unwrap().recovery_codes(codes).unwrap()
}

async fn import(app: &App, factor: &ImportedTwoFactor) -> bool {
    app.auth.admin().import_two_factor(&1, factor).await.unwrap()
}

impl App {
    /// The recovery codes, which are shown after the password and nothing else.
    async fn recovery_codes_after_confirmation(&self, tokens: &Tokens) -> Vec<String> {
        self.confirm_password(&tokens.access).await;
        self.recovery_codes(&tokens.access).await
    }
}

/// A user whose registration is the only event so far.
async fn registered() -> (App, Tokens) {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    assert_eq!(app.event().await.name(), "auth.registered");
    (app, tokens)
}

async fn an_imported_second_factor_is_asked_for_and_ends_every_session() {
    let (app, tokens) = registered().await;
    assert!(import(&app, &factor()).await);
    for name in ["auth.two-factor-confirmed", "auth.session-ended"] {
        let event = app.event().await;
        assert_eq!((event.name(), event.by, event.client), (name, Actor::Administrator, None));
        assert_eq!(event.user_id.as_deref(), Some("1"));
    }
    app.is_over(&tokens).await;
    let user = app.users.by_email(EMAIL).unwrap();
    for stored in [user.two_factor_secret.unwrap(), user.two_factor_recovery_codes.unwrap()] {
        assert!(stored.starts_with("v1.") && !stored.contains(SECRET) && !stored.contains(CODES[0]));
    }

    let (token, authenticator) = (app.challenge_token(EMAIL).await, Authenticator::new(SECRET));
    let wrong = authenticator.wrong_code(&app);
    app.challenge(&token, &wrong).await.refused(422, "invalid_two_factor_code");
    let tokens = app.challenge(&token, &authenticator.code(&app)).await.expect(200).tokens();
    assert_eq!(app.recovery_codes_after_confirmation(&tokens).await, CODES);
    for code in CODES {
        let token = app.challenge_token(EMAIL).await;
        app.challenge_by_recovery_code(&token, code).await.expect(200);
        let token = app.challenge_token(EMAIL).await;
        app.challenge_by_recovery_code(&token, code).await.refused(422, "invalid_recovery_code");
    }
}

async fn without_recovery_codes_there_are_eight_new_ones() {
    let (app, _) = registered().await;
    assert!(import(&app, &ImportedTwoFactor::new(SECRET).unwrap()).await);
    let names = ["auth.two-factor-confirmed", "auth.recovery-codes-generated", "auth.session-ended"];
    assert_eq!(app.event_names().await, names);
    let token = app.challenge_token(EMAIL).await;
    let code = Authenticator::new(SECRET).code(&app);
    let tokens = app.challenge(&token, &code).await.expect(200).tokens();
    let codes = app.recovery_codes_after_confirmation(&tokens).await;
    assert_eq!(codes.iter().collect::<HashSet<_>>().len(), 8);
    let token = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&token, &codes[7]).await.expect(200);
}

async fn what_a_user_has_set_up_here_stays() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let before = app.users.by_email(EMAIL).unwrap();
    assert!(!import(&app, &factor()).await);
    let after = app.users.by_email(EMAIL).unwrap();
    assert_eq!(after.two_factor_secret, before.two_factor_secret);
    assert_eq!(after.two_factor_recovery_codes, before.two_factor_recovery_codes);
    app.get("/claims").bearer(&enrolled.tokens.access).await.expect(200);
}

#[tokio::test]
async fn the_time_of_the_confirmation_stays_if_the_record_has_it() {
    let (app, _) = registered().await;
    let confirmed = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    app.users.update(EMAIL, |user| user.two_factor_confirmed_at = Some(confirmed));
    assert!(import(&app, &factor()).await);
    assert_eq!(app.users.by_email(EMAIL).unwrap().two_factor_confirmed_at, Some(confirmed));
}

#[tokio::test]
async fn a_user_who_does_not_exist_is_an_error() {
    let app = App::with_everything().await;
    let error = app.auth.admin().import_two_factor(&99, &factor()).await.err().unwrap();
    assert_eq!(error.code().as_str(), "internal_error");
}
