//! What ends an API token (specification §31.2).

use super::{NAME, PATH, create, list, read, text, token, works};
use crate::change_emails::{unlimited, verified};
use crate::delete_accounts::{delete, restore_after};
use crate::email_login::sign_in;
use crate::passkeys::user;
use crate::reset_passwords::reset_password;
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Builder, EMAIL, Tokens, api_scopes};
use axum_auth_module::AuthUser;
use axum_auth_module::clock::Clock;
use axum_auth_module::config::ApiTokenOptions;
use axum_auth_module::repository::{ApiTokenRecord, ApiTokenRepository};
use axum_auth_module::testing::{Fault, Faults, MemoryApiTokens, ProviderMethod};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task::JoinHandle;

on_both_routers![
    a_reset_by_mail_ends_them,
    a_reset_keeps_them_if_the_option_says_so,
    the_owners_arrival_ends_those_of_a_stranger,
    while_a_deletion_is_pending_they_are_refused,
    while_a_user_is_suspended_they_are_refused,
    an_administrator_revokes_all,
    an_account_that_is_closed_keeps_none,
    a_reset_whose_removal_fails_can_be_repeated,
    a_session_that_ends_while_it_creates_a_token_creates_none,
    a_token_that_is_being_created_does_not_outlive_a_reset,
    a_token_that_is_being_created_does_not_outlive_a_lock_down,
    a_token_that_is_being_created_does_not_outlive_an_arrival,
];

in_every_place![
    a_lock_down_ends_those_of_the_visit,
    it_ends_with_its_expiry_and_the_row_goes_with_expired_sessions,
    it_ends_on_every_instance_and_after_a_restart,
];

fn id(app: &App) -> <Account as AuthUser>::Id {
    app.users.by_email(EMAIL).unwrap().id
}

async fn host() -> (App, Tokens, String) {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    (app, tokens, token)
}

async fn reset(app: &App) -> Answer {
    let token = reset_password::token(app, &app.outbox, EMAIL).await;
    reset_password::reset(app, EMAIL, &token, "another long password").await
}

async fn a_reset_by_mail_ends_them() {
    let (app, tokens, token) = host().await;
    reset(&app).await.expect(200);
    app.is_over(&tokens).await;
    assert!(!works(&app, &token).await);
}

async fn a_reset_keeps_them_if_the_option_says_so() {
    let mut options = ApiTokenOptions::default();
    options.survive_resets = true;
    let app = App::with_everything_and(|config| unlimited(config).api_tokens(options), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    reset(&app).await.expect(200);
    assert!(works(&app, &token).await);
    let posture = app.auth.posture();
    assert!(posture.iter().any(|deviation| deviation.option == "api_tokens.survive_resets"), "{posture:?}");
}

async fn the_owners_arrival_ends_those_of_a_stranger() {
    let (app, _, token) = host().await;
    // Somebody has made the account, and nobody has proven the address.
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    let owner = sign_in(&app, EMAIL).await.tokens();
    assert!(!works(&app, &token).await);
    assert_eq!(list(&app, &owner).await, Vec::<Value>::new());
}

async fn while_a_deletion_is_pending_they_are_refused() {
    let (app, tokens, token) = host().await;
    delete(&app, &tokens.access).await.expect(202);
    assert!(!works(&app, &token).await);
    let refused =
        app.login_call(EMAIL, crate::support::PASSWORD).await.refused(403, "account_pending_deletion");
    restore_after(&app, &refused).await.expect(200);
    assert!(works(&app, &token).await, "the account is restored with what it had");
}

async fn while_a_user_is_suspended_they_are_refused() {
    let (app, _, token) = host().await;
    app.users.update(EMAIL, |user| user.active = false);
    assert!(!works(&app, &token).await);
    app.users.update(EMAIL, |user| user.active = true);
    read(&app, &token).await.expect(200);
}

async fn an_administrator_revokes_all() {
    let (app, tokens, first) = host().await;
    let second = token(&app, &tokens, &["demo:write"]).await;
    assert_eq!(app.auth.admin().revoke_api_tokens(&id(&app)).await.unwrap(), 2);
    for token in [&first, &second] {
        assert!(!works(&app, token).await);
    }
    assert_eq!(app.auth.admin().revoke_api_tokens(&id(&app)).await.unwrap(), 0);
    assert_eq!(list(&app, &tokens).await, Vec::<Value>::new(), "the sessions go on");
    let nobody = Default::default();
    assert!(app.auth.admin().revoke_api_tokens(&nobody).await.is_err());
}

async fn an_account_that_is_closed_keeps_none() {
    let (app, _, token) = host().await;
    app.auth.close_account(&id(&app)).await.unwrap();
    assert!(!works(&app, &token).await);
}

async fn a_reset_whose_removal_fails_can_be_repeated() {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, unlimited).await;
    let tokens = user(&app, EMAIL).await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    let mailed = reset_password::token(&app, &app.outbox, EMAIL).await;
    let reset = || reset_password::reset(&app, EMAIL, &mailed, "another long password");
    faults.nth(ProviderMethod::ApiTokensDelete, 1, Fault::IsUnavailable);
    reset().await.expect(503);
    faults.heal();
    reset().await.expect(200);
    assert!(!works(&app, &token).await);
}

/// A host in which a session is creating a token: the repository has been asked to store it, and has not answered.
async fn while_a_token_is_created(faults: &Faults) -> (App, JoinHandle<Answer>) {
    let app = Place::memory().start_faulty(faults, unlimited).await;
    let tokens = user(&app, EMAIL).await;
    faults.next(ProviderMethod::ApiTokensInsert, Fault::Waits);
    let body = json!({ "name": NAME, "scopes": ["demo:read"] });
    let creation = tokio::spawn(create(&app, &tokens, body).into_future());
    let waiting = async {
        while !faults.calls().contains(&ProviderMethod::ApiTokensInsert) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    (app, creation)
}

/// The session was alive when the creation looked, and something has ended it since.
async fn creates_none(app: App, creation: JoinHandle<Answer>, faults: &Faults) {
    faults.heal();
    creation.await.unwrap().refused(401, "unauthenticated");
    assert_eq!(app.auth.admin().revoke_api_tokens(&id(&app)).await.unwrap(), 0, "none is left");
}

async fn a_session_that_ends_while_it_creates_a_token_creates_none() {
    let faults = Faults::new();
    let (app, creation) = while_a_token_is_created(&faults).await;
    app.auth.admin().end_all_sessions(&id(&app)).await.unwrap();
    creates_none(app, creation, &faults).await;
}

async fn a_token_that_is_being_created_does_not_outlive_a_reset() {
    let faults = Faults::new();
    let (app, creation) = while_a_token_is_created(&faults).await;
    reset(&app).await.expect(200);
    creates_none(app, creation, &faults).await;
}

async fn a_token_that_is_being_created_does_not_outlive_a_lock_down() {
    let faults = Faults::new();
    let (app, creation) = while_a_token_is_created(&faults).await;
    app.auth.admin().lock_down(&id(&app)).await.unwrap();
    creates_none(app, creation, &faults).await;
}

async fn a_token_that_is_being_created_does_not_outlive_an_arrival() {
    let faults = Faults::new();
    let (app, creation) = while_a_token_is_created(&faults).await;
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    reset(&app).await.expect(200);
    creates_none(app, creation, &faults).await;
}

async fn a_lock_down_ends_those_of_the_visit(place: &Place) {
    let app = place.start_with(unlimited).await;
    let tokens = verified(&app, EMAIL).await;
    let year = json!({ "name": "Owner's", "scopes": ["demo:read"] });
    let owners = text(&create(&app, &tokens, year).await.expect(201));
    // An administrator's lock down reaches back seven days.
    place.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    let thief = app.login(EMAIL).await;
    app.confirm_password(&thief.access).await;
    let thiefs = token(&app, &thief, &["demo:read"]).await;
    app.auth.admin().lock_down(&place.user(EMAIL).await.id).await.unwrap();
    assert!(!works(&app, &thiefs).await && works(&app, &owners).await);
}

async fn it_ends_with_its_expiry_and_the_row_goes_with_expired_sessions(place: &Place) {
    let app = place.start_with(unlimited).await;
    let tokens = verified(&app, EMAIL).await;
    let with = |seconds: u64| json!({ "name": NAME, "scopes": ["demo:read"], "expiresIn": seconds });
    let short = text(&create(&app, &tokens, with(60)).await.expect(201));
    let long = text(&create(&app, &tokens, with(120)).await.expect(201));
    place.clock.advance(Duration::from_secs(59));
    assert!(works(&app, &short).await);
    place.clock.advance(Duration::from_secs(1));
    assert!(!works(&app, &short).await && works(&app, &long).await);
    app.auth.maintain().await.unwrap();
    let left = app.auth.admin().revoke_api_tokens(&place.user(EMAIL).await.id).await.unwrap();
    assert_eq!(left, 1, "the expired row is gone");
}

/// A pass of the clean-up goes on while there is a full portion of expired tokens, as for sessions.
#[tokio::test]
async fn more_expired_tokens_than_a_portion_has_are_deleted_in_one_pass() {
    let tokens = MemoryApiTokens::new();
    let module = |module: Builder| module.api_tokens(tokens.clone(), api_scopes());
    let app = App::with_everything_and(unlimited, module).await;
    let session = app.register(EMAIL).await;
    let now = app.clock.now();
    for number in 0..1500 {
        let token =
            ApiTokenRecord::new(number.to_string(), "of nobody", [0; 32], now, now + Duration::from_secs(60));
        assert!(tokens.insert(token).await.unwrap());
    }
    app.advance(700);
    app.me(&session.access).await.expect(200);
    app.auth.background_work_finished().await;
    assert_eq!(tokens.find_by_user("of nobody").await.unwrap().len(), 0);
}

async fn it_ends_on_every_instance_and_after_a_restart(place: &Place) {
    let first = place.start_with(unlimited).await;
    let second = place.start_with(unlimited).await;
    let tokens = verified(&first, EMAIL).await;
    let token = token(&first, &tokens, &["demo:read"]).await;
    assert!(works(&second, &token).await);
    let id = list(&first, &tokens).await[0]["id"].as_str().unwrap().to_owned();
    first.delete(&format!("{PATH}/{id}")).bearer(&tokens.access).await.expect(200);
    assert!(!works(&second, &token).await);
    let restarted = place.start_with(unlimited).await;
    assert!(!works(&restarted, &token).await);
}
