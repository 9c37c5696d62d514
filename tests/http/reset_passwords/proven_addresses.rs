//! The first reset of an address that nobody had verified disables a second factor that was set up with that address; the second
//! factor of a verified address stays (specification §15.3).

use super::reset_password::{NEW, reset, token};
use crate::email_verification::notification::link;
use crate::support::authenticator::Enrolled;
use crate::support::logs::OfThisThread;
use crate::support::providers::OvertakenUsers;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, Tokens, memory_users};
use axum_auth_module::services::ImportedTwoFactor;
use axum_auth_module::user::UserChange;
use serde_json::json;
use std::time::UNIX_EPOCH;

on_both_routers![
    the_second_factor_of_an_address_that_was_verified_stays_when_the_address_goes_and_comes_back,
    a_stranger_who_moves_away_and_back_leaves_the_owner_no_second_factor,
    an_imported_second_factor_stays_whether_its_address_is_verified_or_not,
    an_owner_who_verifies_the_address_during_a_reset_keeps_the_second_factor,
    a_secret_that_cannot_be_read_is_logged_and_keeps_no_address_from_being_verified,
];

const AWAY: &str = "mallory@example.com";

async fn move_to(app: &App, access: &str, email: &str) {
    let body = json!({ "name": "Ada", "email": email });
    app.put("/auth/user/profile-information").bearer(access).json(&body).await.expect(200);
}

async fn needs_second_factor(app: &App, email: &str) -> bool {
    let answer = app.login_call(email, NEW).await.expect(200);
    answer.body["twoFactor"].as_bool().unwrap()
}

async fn reset_by_mail(app: &App, email: &str) {
    let token = token(app, &app.outbox, email).await;
    reset(app, email, &token, NEW).await.expect(200);
}

async fn open_link(app: &App, tokens: &Tokens) {
    let link = link(app, tokens).await.path("/auth");
    app.get(&link).bearer(&tokens.access).await.expect(200);
}

async fn the_second_factor_of_an_address_that_was_verified_stays_when_the_address_goes_and_comes_back() {
    for way in ["link", "administrator", "host"] {
        let app = App::with_addresses_of_profiles().await;
        // The usual order: first the second factor, then the mail.
        let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
        match way {
            "link" => open_link(&app, &tokens).await,
            "administrator" => app.auth.admin().verify_email(&1).await.unwrap(),
            _ => app.verify_address(EMAIL),
        }
        assert!(app.users.by_email(EMAIL).unwrap().email_verified_at.is_some());
        move_to(&app, &tokens.access, AWAY).await;
        move_to(&app, &tokens.access, EMAIL).await;
        assert!(app.users.by_email(EMAIL).unwrap().email_verified_at.is_none());
        reset_by_mail(&app, EMAIL).await;
        assert!(needs_second_factor(&app, EMAIL).await, "verified by the {way}");
    }
}

async fn a_stranger_who_moves_away_and_back_leaves_the_owner_no_second_factor() {
    let app = App::with_addresses_of_profiles().await;
    let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
    move_to(&app, &tokens.access, AWAY).await;
    move_to(&app, &tokens.access, EMAIL).await;
    reset_by_mail(&app, EMAIL).await;
    assert!(!needs_second_factor(&app, EMAIL).await);
}

async fn an_imported_second_factor_stays_whether_its_address_is_verified_or_not() {
    for is_verified in [false, true] {
        let app = App::with_everything().await;
        app.register(EMAIL).await;
        if is_verified {
            app.verify_address(EMAIL);
        }
        let factor = ImportedTwoFactor::new("GEZDGNBVGY3TQOJQ").unwrap();
        assert!(app.auth.admin().import_two_factor(&1, &factor).await.unwrap());
        reset_by_mail(&app, EMAIL).await;
        assert!(needs_second_factor(&app, EMAIL).await, "verified: {is_verified}");
    }
}

/// The record that the reset has read is older than its token's check. What it would write is compared with the record of now.
async fn an_owner_who_verifies_the_address_during_a_reset_keeps_the_second_factor() {
    let users = memory_users();
    let faulty = OvertakenUsers::over(users.clone());
    let before_save = faulty.before_save.clone();
    let app = App::with_everything_on(faulty, users.clone(), |config| config, |module| module).await;
    app.enrolled(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    before_save.set({
        let users = users.clone();
        move |patch| {
            if patch.changes().iter().any(|change| matches!(change, UserChange::TwoFactorSecret(None))) {
                users.update(EMAIL, |user| user.email_verified_at = Some(UNIX_EPOCH));
            }
        }
    });
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    assert!(needs_second_factor(&app, EMAIL).await);
    assert!(users.by_email(EMAIL).unwrap().two_factor_secret.is_some());
}

async fn a_secret_that_cannot_be_read_is_logged_and_keeps_no_address_from_being_verified() {
    let log = OfThisThread::record();
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.two_factor_secret = Some("v1.of another key".to_owned()));
    open_link(&app, &tokens).await;
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.email_verified_at.is_some());
    assert_eq!(user.two_factor_secret.as_deref(), Some("v1.of another key"));
    assert_eq!(log.lines_with("a second factor cannot be read"), 1);
}
