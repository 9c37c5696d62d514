//! Taking an account back: with the link in the mail to the previous address, whatever has happened since.

use super::{NEW, asked, confirm, mail, moved, pending, revert, verified, with_user};
use crate::support::places::Place;
use crate::support::routers::on_both_routers;
use crate::support::{App, Builder, EMAIL, PASSWORD, Tokens};
use axum_auth_module::config::EmailChangeOptions;
use axum_auth_module::delivery::{
    EmailChangeMessage, EmailChangePurpose, PasswordResetMessage, PasswordResetReason,
};
use axum_auth_module::store::MemoryStore;
use serde_json::Value;
use std::time::Duration;

on_both_routers![
    the_previous_address_is_back_and_the_account_is_locked_down,
    it_works_whatever_the_address_is_by_then,
    a_second_time_changes_nothing,
    a_link_that_is_a_second_too_old_is_refused,
    a_suspended_and_a_deleted_user_are_refused,
    what_a_thief_has_asked_for_ends,
    an_address_that_another_account_has_by_now_is_refused_after_the_lock_down,
    a_second_factor_of_before_stays_with_new_recovery_codes,
    a_second_factor_whose_secret_the_thief_has_seen_goes,
    that_a_secret_was_seen_is_known_as_long_as_a_link_can_be_valid,
    without_a_lifetime_there_is_no_link,
    a_link_of_before_the_option_was_switched_off_works_once,
    a_link_whose_reservation_is_lost_works_once,
    all_links_of_a_client_count_towards_one_limit,
];

/// A host on which a thief has moved the account of the owner to a new address.
async fn stolen() -> (App, Tokens, String) {
    let (app, thief) = with_user().await;
    let (thief, told) = moved(&app, &thief.access, EMAIL, NEW).await;
    (app, thief, told.token.unwrap())
}

async fn the_previous_address_is_back_and_the_account_is_locked_down() {
    let (app, thief) = with_user().await;
    let verified_at = app.users.by_email(EMAIL).unwrap().email_verified_at;
    let (thief, told) = moved(&app, &thief.access, EMAIL, NEW).await;
    while app.event().await.name() != "auth.email-changed" {}
    app.advance(3600);
    let other = app.login(NEW).await;
    let answer = revert(&app, &told.token.unwrap()).from("203.0.113.9").await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    assert!(!answer.has_credentials());
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(app.users.by_email(NEW).is_none());
    assert_eq!(account.email_verified_at, verified_at, "it is verified since then");
    assert_eq!(account.password, "");
    app.is_over(&thief).await;
    app.is_over(&other).await;
    let left = mail(&app, NEW, EmailChangePurpose::Reverted).await;
    assert!(left.token.is_none());
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    assert_eq!((way_back.email.as_str(), way_back.reason), (EMAIL, PasswordResetReason::LockedDown));
    let events = app.event_names::<5>().await;
    assert_eq!(events[3..], ["auth.email-reverted", "auth.account-secured"], "{events:?}");
    for email in [EMAIL, NEW] {
        app.login_call(email, PASSWORD).await.refused(401, "invalid_credentials");
    }
    let password = "the owner has chosen this";
    crate::reset_passwords::reset_password::reset(&app, EMAIL, &way_back.token, password).await.expect(200);
    app.login_call(EMAIL, password).await.expect(200);
}

/// A→B→C→D with the link of A is A again, and neither B nor C gets a link.
async fn it_works_whatever_the_address_is_by_then() {
    let (app, mut thief, undo) = stolen().await;
    let mut at = NEW.to_owned();
    for next in ["third@example.com", "fourth@example.com"] {
        app.confirm_password(&thief.access).await;
        let (tokens, told) = moved(&app, &thief.access, &at, next).await;
        assert!(told.token.is_none(), "{at} gets no link");
        (thief, at) = (tokens, next.to_owned());
    }
    app.advance(6 * 86_400);
    revert(&app, &undo).await.expect(200);
    assert!(app.users.by_email(EMAIL).is_some());
    app.is_over(&thief).await;
    mail(&app, &at, EmailChangePurpose::Reverted).await;
}

async fn a_second_time_changes_nothing() {
    let (app, _, undo) = stolen().await;
    revert(&app, &undo).await.expect(200);
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    let password = "the owner has chosen this";
    crate::reset_passwords::reset_password::reset(&app, EMAIL, &way_back.token, password).await.expect(200);
    let owner = app.login_call(EMAIL, password).await.expect(200).tokens();
    revert(&app, &undo).await.expect(200);
    app.me(&owner.access).await.expect(200);
    // Also after a change of the owner's own.
    app.post("/auth/user/confirm-password")
        .bearer(&owner.access)
        .json(&serde_json::json!({ "password": password }))
        .await
        .expect(200);
    while app.outbox.take::<EmailChangeMessage>().is_some() {}
    let (owner, _) = moved(&app, &owner.access, EMAIL, "later@example.com").await;
    revert(&app, &undo).await.expect(200);
    app.me(&owner.access).await.expect(200);
    assert!(app.users.by_email("later@example.com").is_some());
}

async fn a_link_that_is_a_second_too_old_is_refused() {
    let (app, _, undo) = stolen().await;
    app.advance(7 * 86_400);
    revert(&app, &undo).await.refused(422, "expired_mail_token");
    assert!(app.users.by_email(NEW).is_some());
    let (app, _, undo) = stolen().await;
    app.advance(7 * 86_400 - 1);
    revert(&app, &undo).await.expect(200);
}

async fn a_suspended_and_a_deleted_user_are_refused() {
    let (app, _, undo) = stolen().await;
    app.users.update(NEW, |user| user.active = false);
    revert(&app, &undo).await.refused(422, "invalid_mail_token");
    app.users.update(NEW, |user| user.active = true);
    app.users.remove(NEW);
    revert(&app, &undo).await.refused(422, "invalid_mail_token");
}

async fn what_a_thief_has_asked_for_ends() {
    let (app, thief, undo) = stolen().await;
    app.confirm_password(&thief.access).await;
    let pending_token = asked(&app, &thief.access, "third@example.com").await;
    let to_the_thief = crate::reset_passwords::reset_password::token(&app, &app.outbox, NEW).await;
    revert(&app, &undo).await.expect(200);
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    let reset = crate::reset_passwords::reset_password::reset;
    for email in [EMAIL, NEW] {
        reset(&app, email, &to_the_thief, PASSWORD).await.refused(422, "invalid_reset_token");
    }
    reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    let owner = app.login(EMAIL).await;
    assert_eq!(pending(&app, &owner.access).await, Value::Null);
    confirm(&app, &owner.access, &pending_token).await.refused(422, "invalid_mail_token");
}

/// The host has given the address away behind the back of the module.
async fn an_address_that_another_account_has_by_now_is_refused_after_the_lock_down() {
    let (app, thief, undo) = stolen().await;
    app.register("eve@example.com").await;
    app.users.update("eve@example.com", |user| user.email = EMAIL.to_owned());
    revert(&app, &undo).await.refused(409, "email_taken");
    app.is_over(&thief).await;
    let account = app.users.by_email(NEW).unwrap();
    assert_eq!(account.password, "");
    mail(&app, EMAIL, EmailChangePurpose::NotReverted).await;
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<PasswordResetMessage>().is_none(), "nobody gets a way in");
    app.login(EMAIL).await;
    revert(&app, &undo).await.expect(200);
}

async fn a_second_factor_of_before_stays_with_new_recovery_codes() {
    let app = super::host().await;
    let enrolled = app.enrolled(EMAIL).await;
    let link = crate::email_verification::notification::link(&app, &enrolled.tokens).await.path("/auth");
    app.get(&link).bearer(&enrolled.tokens.access).await.expect(200);
    let codes = app.recovery_codes(&enrolled.tokens.access).await;
    app.advance(60);
    let (_, told) = moved(&app, &enrolled.tokens.access, EMAIL, NEW).await;
    revert(&app, &told.token.unwrap()).await.expect(200);
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    let reset = crate::reset_passwords::reset_password::reset;
    reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge_by_recovery_code(&challenge, &codes[0]).await.refused(422, "invalid_recovery_code");
    let owner = app.challenge(&challenge, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    app.confirm_password(&owner.access).await;
    let now = app.recovery_codes(&owner.access).await;
    assert!(now.len() == 8 && codes.iter().all(|code| !now.contains(code)));
}

async fn a_second_factor_whose_secret_the_thief_has_seen_goes() {
    let app = super::host().await;
    let enrolled = app.enrolled(EMAIL).await;
    let link = crate::email_verification::notification::link(&app, &enrolled.tokens).await.path("/auth");
    app.get(&link).bearer(&enrolled.tokens.access).await.expect(200);
    app.advance(60);
    let token = asked(&app, &enrolled.tokens.access, NEW).await;
    app.get("/auth/user/two-factor-secret-key").bearer(&enrolled.tokens.access).await.expect(200);
    confirm(&app, &enrolled.tokens.access, &token).await.expect(200);
    let told = mail(&app, EMAIL, EmailChangePurpose::Changed).await;
    revert(&app, &told.token.unwrap()).await.expect(200);
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.two_factor_secret.is_none() && account.two_factor_confirmed_at.is_none());
    assert!(account.two_factor_recovery_codes.is_none());
}

/// The longest lifetimes: the change is confirmed on the seventh day, and undone thirty days later.
async fn that_a_secret_was_seen_is_known_as_long_as_a_link_can_be_valid() {
    let day = 86_400;
    let mut options = EmailChangeOptions::default();
    (options.lifetime, options.revert_lifetime) =
        (Duration::from_secs(7 * day), Duration::from_secs(30 * day));
    let config = |config| super::unlimited(config).email_change(options);
    let app = App::with_everything_and(config, |module| module).await;
    let enrolled = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    app.advance(60);
    let token = asked(&app, &enrolled.tokens.access, NEW).await;
    app.get("/auth/user/two-factor-secret-key").bearer(&enrolled.tokens.access).await.expect(200);
    app.advance(7 * day - 60);
    let challenge = app.challenge_token(EMAIL).await;
    let thief = app.challenge(&challenge, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    confirm(&app, &thief.access, &token).await.expect(200);
    let told = mail(&app, EMAIL, EmailChangePurpose::Changed).await;
    app.advance(30 * day - 60);
    revert(&app, &told.token.unwrap()).await.expect(200);
    assert!(app.users.by_email(EMAIL).unwrap().two_factor_secret.is_none());
}

async fn without_a_lifetime_there_is_no_link() {
    let mut options = EmailChangeOptions::default();
    options.revert_lifetime = Duration::ZERO;
    let app = App::with_everything_and(|config| config.email_change(options), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let (_, told) = moved(&app, &tokens.access, EMAIL, NEW).await;
    assert!(told.token.is_none());
    // Nobody can take it back, so it is not kept.
    app.register(EMAIL).await;
}

async fn a_link_of_before_the_option_was_switched_off_works_once() {
    let place = Place::memory();
    let (app, thief) = super::at(&place).await;
    let (_, told) = moved(&app, &thief.access, EMAIL, NEW).await;
    let undo = told.token.unwrap();
    let mut options = EmailChangeOptions::default();
    options.revert_lifetime = Duration::ZERO;
    let app = place.start_with(|config| super::unlimited(config).email_change(options)).await;
    revert(&app, &undo).await.expect(200);
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    crate::reset_passwords::reset_password::reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    let owner = app.login(EMAIL).await;
    app.advance(60);
    revert(&app, &undo).await.expect(200);
    app.me(&owner.access).await.expect(200);
}

/// The store was cleared after the link was mailed.
async fn a_link_whose_reservation_is_lost_works_once() {
    let place = Place::memory();
    let (app, thief) = super::at(&place).await;
    let (_, told) = moved(&app, &thief.access, EMAIL, NEW).await;
    let undo = told.token.unwrap();
    let other_store = |module: Builder| module.store(MemoryStore::new());
    let app = place.start_as(&place.clock, super::unlimited, other_store).await;
    revert(&app, &undo).await.expect(200);
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    crate::reset_passwords::reset_password::reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    let owner = app.login(EMAIL).await;
    revert(&app, &undo).await.expect(200);
    app.me(&owner.access).await.expect(200);
}

async fn all_links_of_a_client_count_towards_one_limit() {
    let app = App::with_everything().await;
    for _ in 0..20 {
        revert(&app, "x").from("203.0.113.9").await.refused(422, "invalid_mail_token");
    }
    revert(&app, "x").from("203.0.113.9").await.refused(429, "too_many_attempts");
    revert(&app, "x").from("203.0.113.10").await.refused(422, "invalid_mail_token");
}
