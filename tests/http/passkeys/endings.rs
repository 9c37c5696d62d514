//! What ends a passkey, and what is under way with one.

use super::{PATH, user, with_passkey};
use crate::change_emails::{unlimited, verified};
use crate::email_login::sign_in;
use crate::reset_passwords::reset_password;
use crate::support::answer::Answer;
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
    a_lock_down_ends_such_a_session_of_an_account_without_a_password_too,
    a_session_that_begins_before_an_arrival_by_reset_has_removed_its_passkey_ends,
    a_passkey_that_is_being_added_does_not_outlive_an_arrival,
    an_arrival_by_mail_ends_the_sessions_before_it_removes_passkeys,
    a_passkey_that_is_being_added_does_not_outlive_an_administrators_removal,
    a_session_that_begins_before_an_administrator_has_removed_its_passkey_ends,
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
    // The session was alive when the addition looked. Now the reset ends it.
    reset_password::reset(&app, EMAIL, &token, "another long password").await.expect(200);
    faults.heal();
    add.await.unwrap().refused(401, "unauthenticated");
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
    let (app, add, mut thiefs) = while_a_passkey_is_added(&faults).await;
    // The session was alive when the addition looked. Now the lock down ends it.
    app.auth.admin().lock_down(&id(&app, EMAIL)).await.unwrap();
    faults.heal();
    add.await.unwrap().refused(401, "unauthenticated");
    app.sign_in_with(&mut thiefs).await.refused(404, "unknown_passkey");
}

async fn a_session_that_begins_before_a_lock_down_has_removed_its_passkey_ends() {
    session_before_a_lock_down_removes_its_passkey(true).await;
}

/// The lock down has nothing to write in the record of such an account.
async fn a_lock_down_ends_such_a_session_of_an_account_without_a_password_too() {
    session_before_a_lock_down_removes_its_passkey(false).await;
}

async fn session_before_a_lock_down_removes_its_passkey(has_password: bool) {
    let faults = Faults::new();
    let (app, _, mut thiefs, _) = before_a_removal(&faults).await;
    if !has_password {
        app.users.update(EMAIL, |user| user.password.clear());
    }
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

async fn a_session_that_begins_before_an_arrival_by_reset_has_removed_its_passkey_ends() {
    let faults = Faults::new();
    let (app, _, mut strangers, _) = before_a_removal(&faults).await;
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let token = reset_password::token(&app, &app.outbox, EMAIL).await;
    faults.next(ProviderMethod::PasskeysDelete, Fault::Waits);
    let reset =
        tokio::spawn(reset_password::reset(&app, EMAIL, &token, "another long password").into_future());
    until(&faults, |calls| calls.contains(&ProviderMethod::PasskeysDelete)).await;
    // The reset has ended the sessions, and the passkey is still there.
    let begun = app.sign_in_with(&mut strangers).await.expect(200).tokens();
    faults.heal();
    reset.await.unwrap().expect(200);
    app.is_over(&begun).await;
}

async fn a_passkey_that_is_being_added_does_not_outlive_an_arrival() {
    let faults = Faults::new();
    let (app, add, mut strangers) = while_a_passkey_is_added(&faults).await;
    // Somebody has made the account, and nobody has proven the address.
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let token = reset_password::token(&app, &app.outbox, EMAIL).await;
    reset_password::reset(&app, EMAIL, &token, "another long password").await.expect(200);
    faults.heal();
    add.await.unwrap().refused(401, "unauthenticated");
    app.sign_in_with(&mut strangers).await.refused(404, "unknown_passkey");
}

/// A session that is alive could add another one in between.
async fn an_arrival_by_mail_ends_the_sessions_before_it_removes_passkeys() {
    let faults = Faults::new();
    let (app, ..) = before_a_removal(&faults).await;
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let before = faults.calls().len();
    sign_in(&app, EMAIL).await;
    let calls = faults.calls().split_off(before);
    let first = |method| calls.iter().position(|call| *call == method).unwrap();
    assert!(
        first(ProviderMethod::SessionsDeleteAll) < first(ProviderMethod::PasskeysFindByUser),
        "{calls:?}"
    );
}

async fn a_passkey_that_is_being_added_does_not_outlive_an_administrators_removal() {
    let faults = Faults::new();
    let (app, add, mut other) = while_a_passkey_is_added(&faults).await;
    app.auth.admin().remove_passkeys(&id(&app, EMAIL)).await.unwrap();
    faults.heal();
    add.await.unwrap().refused(401, "unauthenticated");
    app.sign_in_with(&mut other).await.refused(404, "unknown_passkey");
}

async fn a_session_that_begins_before_an_administrator_has_removed_its_passkey_ends() {
    let faults = Faults::new();
    let (app, _, mut own, _) = before_a_removal(&faults).await;
    faults.next(ProviderMethod::PasskeysDelete, Fault::Waits);
    let (auth, user_id) = (app.auth.clone(), id(&app, EMAIL));
    let removal = tokio::spawn(async move { auth.admin().remove_passkeys(&user_id).await });
    until(&faults, |calls| calls.contains(&ProviderMethod::PasskeysDelete)).await;
    // The sessions have ended, and the passkey is still there.
    let begun = app.sign_in_with(&mut own).await.expect(200).tokens();
    faults.heal();
    removal.await.unwrap().unwrap();
    app.is_over(&begun).await;
}

/// A host in which a session is adding a passkey: the repository has been asked to store it, and has not answered.
async fn while_a_passkey_is_added(faults: &Faults) -> (App, JoinHandle<Answer>, SoftPasskey) {
    let app = Place::memory().start_faulty(faults, |config| config).await;
    let (tokens, mut new) = (user(&app, EMAIL).await, passkey());
    let body = app.new_passkey(&tokens.access, &mut new).await;
    faults.next(ProviderMethod::PasskeysInsert, Fault::Waits);
    let add = tokio::spawn(app.post(PATH).bearer(&tokens.access).json(&body).into_future());
    until(faults, |calls| calls.contains(&ProviderMethod::PasskeysInsert)).await;
    (app, add, new)
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
