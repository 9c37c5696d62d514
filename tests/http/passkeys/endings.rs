//! What ends a passkey, and what is under way with one.

use super::{PATH, user, with_passkey};
use crate::change_emails::{unlimited, verified};
use crate::email_login::sign_in;
use crate::reset_passwords::reset_password;
use crate::support::passkeys::{passkey, proof};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL, PASSWORD, Tokens};
use axum_auth_module::AuthUser;
use axum_auth_module::config::ResetRemoves;
use axum_auth_module::testing::{Fault, Faults, ProviderMethod, SoftPasskey};
use std::time::Duration;
use tokio::task::JoinHandle;

on_both_routers![
    the_owners_arrival_removes_the_passkeys_of_a_stranger,
    an_administrator_removes_all,
    an_account_that_is_closed_keeps_none,
    a_reset_keeps_them,
    a_reset_removes_them_if_the_option_says_so,
    a_session_that_begins_before_a_reset_has_removed_its_passkey_ends,
    a_passkey_that_is_being_added_does_not_outlive_a_reset_that_removes_them,
    a_session_that_has_ended_adds_none,
    a_session_that_ends_while_it_adds_a_passkey_adds_none,
    a_passkey_that_is_being_added_does_not_outlive_a_lock_down,
    a_session_that_begins_before_a_lock_down_has_removed_its_passkey_ends,
    a_session_that_begins_before_its_passkey_is_removed_ends,
    a_sign_in_that_is_under_way_starts_no_session_after_its_passkey_was_removed,
    the_other_sessions_end_also_if_the_removal_of_a_passkey_is_interrupted,
];

in_every_place![
    a_lock_down_removes_what_was_added_during_the_visit,
    a_sign_in_during_the_removal_of_its_passkey_does_not_stay,
];

fn id(app: &App, email: &str) -> <Account as AuthUser>::Id {
    app.users.by_email(email).unwrap().id
}

async fn the_owners_arrival_removes_the_passkeys_of_a_stranger() {
    let app = App::with_everything().await;
    let (tokens, mut strangers) = (user(&app, EMAIL).await, passkey());
    app.add_passkey(&tokens.access, &mut strangers).await;
    // Somebody has made the account, and nobody has proven the address.
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let owner = sign_in(&app, EMAIL).await.tokens();
    assert_eq!(app.passkeys(&owner.access).await["passkeys"], serde_json::json!([]));
    app.sign_in_with(&mut strangers).await.refused(404, "unknown_passkey");
}

async fn an_administrator_removes_all() {
    let (app, tokens, mut first, _) = with_passkey().await;
    let mut second = passkey();
    app.add_passkey(&tokens.access, &mut second).await;
    let user_id = id(&app, EMAIL);
    assert_eq!(app.auth.admin().remove_passkeys(&user_id).await.unwrap(), 2);
    app.is_over(&tokens).await;
    for passkey in [&mut first, &mut second] {
        app.sign_in_with(passkey).await.refused(404, "unknown_passkey");
    }
    assert_eq!(app.auth.admin().remove_passkeys(&user_id).await.unwrap(), 0);
}

async fn an_account_that_is_closed_keeps_none() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let user_id = id(&app, EMAIL);
    app.auth.close_account(&user_id).await.unwrap();
    app.sign_in_with(&mut passkey).await.refused(404, "unknown_passkey");
}

async fn a_reset_keeps_them() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let token = reset_password::token(&app, &app.outbox, EMAIL).await;
    reset_password::reset(&app, EMAIL, &token, "another long password").await.expect(200);
    app.sign_in_with(&mut passkey).await.expect(200);
}

async fn a_reset_removes_them_if_the_option_says_so() {
    let (place, faults) = (Place::memory(), Faults::new());
    let mut removes = ResetRemoves::default();
    removes.passkeys = true;
    let app = place.start_faulty(&faults, |config| config.reset_removes(removes)).await;
    let (tokens, mut passkey) = (user(&app, EMAIL).await, passkey());
    app.add_passkey(&tokens.access, &mut passkey).await;
    let token = reset_password::token(&app, &app.outbox, EMAIL).await;
    let reset = || reset_password::reset(&app, EMAIL, &token, "another long password");
    faults.nth(ProviderMethod::PasskeysDelete, 1, Fault::IsUnavailable);
    reset().await.expect(503);
    faults.heal();
    app.sign_in_with(&mut passkey).await.expect(200);
    reset().await.expect(200);
    app.is_over(&tokens).await;
    app.sign_in_with(&mut passkey).await.refused(404, "unknown_passkey");
}

/// A host whose resets remove passkeys, and a user with a passkey and a reset token.
async fn before_a_reset(faults: &Faults) -> (App, Tokens, SoftPasskey, String) {
    let mut removes = ResetRemoves::default();
    removes.passkeys = true;
    let app = Place::memory().start_faulty(faults, |config| config.reset_removes(removes)).await;
    let (tokens, mut own) = (user(&app, EMAIL).await, passkey());
    app.add_passkey(&tokens.access, &mut own).await;
    let token = reset_password::token(&app, &app.outbox, EMAIL).await;
    (app, tokens, own, token)
}

/// Waits until the host has called a provider in this way.
async fn until(faults: &Faults, has_called: impl Fn(&[ProviderMethod]) -> bool) {
    let waiting = async {
        while !has_called(&faults.calls()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
}

/// Waits until what has begun after these calls asks for the turn of the user again and again, or has ended because it takes none.
async fn until_it_waits_for_its_turn<T>(faults: &Faults, before: usize, begun: &JoinHandle<T>) {
    until(faults, |calls| begun.is_finished() || calls[before..].ends_with(&[ProviderMethod::StoreSwap; 5]))
        .await;
}

async fn a_session_that_begins_before_a_reset_has_removed_its_passkey_ends() {
    let faults = Faults::new();
    let (app, _, mut own, token) = before_a_reset(&faults).await;
    faults.next(ProviderMethod::PasskeysDelete, Fault::Waits);
    let reset =
        tokio::spawn(reset_password::reset(&app, EMAIL, &token, "another long password").into_future());
    until(&faults, |calls| calls.contains(&ProviderMethod::PasskeysDelete)).await;
    // The sessions have ended, and the passkey is still there.
    let begun = app.sign_in_with(&mut own).await.expect(200).tokens();
    faults.heal();
    reset.await.unwrap().expect(200);
    app.is_over(&begun).await;
}

async fn a_passkey_that_is_being_added_does_not_outlive_a_reset_that_removes_them() {
    let faults = Faults::new();
    let (app, tokens, _, token) = before_a_reset(&faults).await;
    let mut other = passkey();
    let body = app.new_passkey(&tokens.access, &mut other).await;
    faults.next(ProviderMethod::PasskeysInsert, Fault::Waits);
    let before = faults.calls().len();
    let add = tokio::spawn(app.post(PATH).bearer(&tokens.access).json(&body).into_future());
    until(&faults, |calls| calls[before..].contains(&ProviderMethod::PasskeysInsert)).await;
    // The session was alive when the addition looked. Now the reset ends it, and waits for the turn of the user.
    let before = faults.calls().len();
    let reset =
        tokio::spawn(reset_password::reset(&app, EMAIL, &token, "another long password").into_future());
    until_it_waits_for_its_turn(&faults, before, &reset).await;
    faults.heal();
    reset.await.unwrap().expect(200);
    add.await.unwrap();
    app.sign_in_with(&mut other).await.refused(404, "unknown_passkey");
}

async fn a_session_that_has_ended_adds_none() {
    let (app, tokens, ..) = with_passkey().await;
    let body = app.new_passkey(&tokens.access, &mut passkey()).await;
    app.auth.admin().end_all_sessions(&id(&app, EMAIL)).await.unwrap();
    app.post(PATH).bearer(&tokens.access).json(&body).await.refused(401, "unauthenticated");
    let tokens = app.login(EMAIL).await;
    assert_eq!(app.passkeys(&tokens.access).await["passkeys"].as_array().unwrap().len(), 1);
}

async fn a_session_that_ends_while_it_adds_a_passkey_adds_none() {
    let turns = Faults::new();
    let is_of_turn = |_, key: &str| key.starts_with("ways-in-turn:");
    let app = Place::memory().start_faulty_apart(&Faults::new(), (&turns, is_of_turn), |config| config).await;
    let (tokens, mut other) = (user(&app, EMAIL).await, passkey());
    let body = app.new_passkey(&tokens.access, &mut other).await;
    turns.next(ProviderMethod::StoreSwap, Fault::Waits);
    let add = tokio::spawn(app.post(PATH).bearer(&tokens.access).json(&body).into_future());
    until(&turns, |calls| calls.contains(&ProviderMethod::StoreSwap)).await;
    // The session was alive when the request arrived, and the addition has not got its turn.
    app.auth.admin().end_all_sessions(&id(&app, EMAIL)).await.unwrap();
    turns.heal();
    add.await.unwrap().refused(401, "unauthenticated");
    app.sign_in_with(&mut other).await.refused(404, "unknown_passkey");
}

async fn a_lock_down_removes_what_was_added_during_the_visit(place: &Place) {
    let app = place.start_with(unlimited).await;
    let (tokens, mut owners) = (verified(&app, EMAIL).await, passkey());
    app.add_passkey(&tokens.access, &mut owners).await;
    // An administrator's lock down reaches back seven days.
    place.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    let (thief, mut thiefs) = (app.login(EMAIL).await, passkey());
    app.confirm_password(&thief.access).await;
    app.add_passkey(&thief.access, &mut thiefs).await;
    let user_id = place.user(EMAIL).await.id;
    app.auth.admin().lock_down(&user_id).await.unwrap();
    app.sign_in_with(&mut thiefs).await.refused(404, "unknown_passkey");
    app.sign_in_with(&mut owners).await.expect(200);
}

async fn a_passkey_that_is_being_added_does_not_outlive_a_lock_down() {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, |config| config).await;
    let (tokens, mut thiefs) = (user(&app, EMAIL).await, passkey());
    let body = app.new_passkey(&tokens.access, &mut thiefs).await;
    faults.next(ProviderMethod::PasskeysInsert, Fault::Waits);
    let add = tokio::spawn(app.post(PATH).bearer(&tokens.access).json(&body).into_future());
    until(&faults, |calls| calls.contains(&ProviderMethod::PasskeysInsert)).await;
    // The session was alive when the addition looked. Now the lock down ends it, and waits for the turn of the user.
    let (auth, user_id, before) = (app.auth.clone(), id(&app, EMAIL), faults.calls().len());
    let lock_down = tokio::spawn(async move { auth.admin().lock_down(&user_id).await });
    until_it_waits_for_its_turn(&faults, before, &lock_down).await;
    faults.heal();
    lock_down.await.unwrap().unwrap();
    add.await.unwrap();
    app.sign_in_with(&mut thiefs).await.refused(404, "unknown_passkey");
}

async fn a_session_that_begins_before_a_lock_down_has_removed_its_passkey_ends() {
    let faults = Faults::new();
    let (app, _, mut thiefs, _) = before_a_removal(&faults).await;
    faults.next(ProviderMethod::PasskeysDelete, Fault::Waits);
    let (auth, user_id) = (app.auth.clone(), id(&app, EMAIL));
    let lock_down = tokio::spawn(async move { auth.admin().lock_down(&user_id).await });
    until(&faults, |calls| calls.contains(&ProviderMethod::PasskeysDelete)).await;
    // The sessions have ended, and the passkey is still there.
    let begun = app.sign_in_with(&mut thiefs).await.expect(200).tokens();
    faults.heal();
    lock_down.await.unwrap().unwrap();
    app.is_over(&begun).await;
}

/// A host, and a user with a passkey. The text is the path of the passkey.
async fn before_a_removal(faults: &Faults) -> (App, Tokens, SoftPasskey, String) {
    let app = Place::memory().start_faulty(faults, |config| config).await;
    let (tokens, mut own) = (user(&app, EMAIL).await, passkey());
    let added = app.add_passkey(&tokens.access, &mut own).await;
    (app, tokens, own, format!("{PATH}/{}", added["id"].as_str().unwrap()))
}

async fn a_session_that_begins_before_its_passkey_is_removed_ends() {
    let faults = Faults::new();
    let (app, tokens, mut own, path) = before_a_removal(&faults).await;
    faults.next(ProviderMethod::PasskeysDelete, Fault::Waits);
    let remove = tokio::spawn(app.delete(&path).bearer(&tokens.access).into_future());
    until(&faults, |calls| calls.contains(&ProviderMethod::PasskeysDelete)).await;
    // The other sessions have ended, and the passkey is still there.
    let begun = app.sign_in_with(&mut own).await.expect(200).tokens();
    faults.heal();
    remove.await.unwrap().expect(200);
    app.is_over(&begun).await;
}

async fn a_sign_in_that_is_under_way_starts_no_session_after_its_passkey_was_removed() {
    let faults = Faults::new();
    let (app, tokens, mut own, path) = before_a_removal(&faults).await;
    let body = app.passkey_proof(&mut own).await;
    let before = faults.calls().len();
    faults.next(ProviderMethod::SessionsCreate, Fault::Waits);
    let login = tokio::spawn(app.passkey_login(&body).into_future());
    until(&faults, |calls| calls[before..].contains(&ProviderMethod::SessionsCreate)).await;
    // The passkey was proven, and there is no session that the removal could end.
    app.delete(&path).bearer(&tokens.access).await.expect(200);
    faults.heal();
    login.await.unwrap().refused(422, "invalid_passkey");
}

async fn the_other_sessions_end_also_if_the_removal_of_a_passkey_is_interrupted() {
    let faults = Faults::new();
    let (app, tokens, mut own, path) = before_a_removal(&faults).await;
    let begun = app.sign_in_with(&mut own).await.expect(200).tokens();
    faults.next(ProviderMethod::PasskeysDelete, Fault::FailsAfterwards);
    app.delete(&path).bearer(&tokens.access).await.expect(503);
    // The passkey is gone, and nothing continues the removal.
    app.sign_in_with(&mut own).await.refused(404, "unknown_passkey");
    app.is_over(&begun).await;
}

async fn a_sign_in_during_the_removal_of_its_passkey_does_not_stay(place: &Place) {
    let app = place.start_with(unlimited).await;
    for round in 0..place.rounds(40) {
        let email = format!("ada-{round}@example.com");
        let (tokens, mut passkey) = (verified(&app, &email).await, passkey());
        let added = app.add_passkey(&tokens.access, &mut passkey).await;
        let begun = app.passkey_options("/auth/passkeys/login/options", None).await;
        let body = proof(&begun, passkey.sign_in(&begun["options"]));
        let path = format!("{PATH}/{}", added["id"].as_str().unwrap());
        let login = tokio::spawn(app.passkey_login(&body).into_future());
        let remove = tokio::spawn(app.delete(&path).bearer(&tokens.access).into_future());
        let (login, removed) = (login.await.unwrap(), remove.await.unwrap());
        removed.expect(200);
        assert!(matches!(login.status, 200 | 404 | 422), "round {round}: {} {}", login.status, login.text);
        if login.status == 200 {
            app.is_over(&login.tokens()).await;
        }
        app.login_call(&email, PASSWORD).await.expect(200);
    }
}
