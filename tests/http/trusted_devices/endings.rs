//! What ends the trust in a device (specification §32.4).

use super::{DAY, Trusted, is_trusted, list, login_on, post_on_device, trust, trusted, with_device};
use crate::change_emails::{moved, unlimited};
use crate::delete_accounts::{delete, restore_after};
use crate::email_login::sign_in;
use crate::reset_passwords::reset_password;
use crate::support::passkeys::passkey;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL, PASSWORD, forge};
use axum_auth_module::AuthUser;
use axum_auth_module::repository::SessionKind;
use serde_json::json;

on_both_routers![
    a_changed_password_ends_it,
    a_reset_ends_it,
    another_second_factor_ends_it,
    a_second_factor_that_an_administrator_has_disabled_ends_it,
    a_removed_passkey_ends_it,
    a_changed_address_ends_it,
    the_owners_arrival_ends_it,
    a_lock_down_ends_it,
    an_administrator_ends_it_with_all_sessions,
    an_administrator_ends_it_with_everybodys_sessions,
    a_deletion_ends_it,
    an_account_that_is_closed_keeps_none,
    a_suspended_user_gets_in_with_it_no_more_than_without,
    a_password_that_the_host_has_changed_ends_it,
    a_restored_account_needs_the_second_factor_again,
];

in_every_place![it_is_trusted_on_every_instance_and_after_a_restart, expired_ones_are_deleted_with_sessions];

const NEW: &str = "another long password";

fn account(app: &App) -> Account {
    app.users.by_email(EMAIL).unwrap()
}

fn account_id(app: &App) -> <Account as AuthUser>::Id {
    account(app).id
}

/// The trust has ended, and there is no row of a device any more.
async fn has_ended(app: &App, device: &str, password: &str) {
    let body = json!({ "email": EMAIL, "password": password });
    let answer = post_on_device(app, "/auth/login", device, body).await.expect(200);
    assert_eq!(answer.body["twoFactor"], true);
    assert!(answer.session().is_none());
    none_is_left(app).await;
}

async fn none_is_left(app: &App) {
    let stored = app.auth.admin().export(&account_id(app)).await.unwrap();
    assert_eq!(stored["trustedDevices"], json!([]));
}

async fn a_changed_password_ends_it() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    let answer = app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
    has_ended(&app, &device, NEW).await;
    // Also for the session that has made it trusted, and that goes on.
    assert!(list(&app, &answer.tokens()).await.is_empty());
}

async fn a_reset_ends_it() {
    let (app, Trusted { device, .. }) = with_device().await;
    let token = reset_password::token(&app, &app.outbox, EMAIL).await;
    reset_password::reset(&app, EMAIL, &token, NEW).await.expect(200);
    has_ended(&app, &device, NEW).await;
}

async fn another_second_factor_ends_it() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    app.confirm_password(&tokens.access).await;
    let tokens = app.disable(&tokens.access).await.expect(200).tokens();
    none_is_left(&app).await;
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await.expect(200);
    has_ended(&app, &device, PASSWORD).await;
    // What is trusted under the new one ends with it, too.
    app.next_step();
    let (tokens, device) = trust(&app, EMAIL, &authenticator).await;
    app.confirm_password(&tokens.access).await;
    let enabled = app.enable(&tokens.access).json(&json!({ "force": true })).await.expect(200);
    assert!(enabled.session().is_none() && is_trusted(&app, &device, EMAIL).await, "it is pending");
    let authenticator = app.authenticator(&tokens.access).await;
    app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await.expect(200);
    has_ended(&app, &device, PASSWORD).await;
}

async fn a_second_factor_that_an_administrator_has_disabled_ends_it() {
    let (app, _) = with_device().await;
    app.auth.admin().reset_two_factor(&account_id(&app)).await.unwrap();
    none_is_left(&app).await;
}

async fn a_removed_passkey_ends_it() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    app.confirm_password(&tokens.access).await;
    let added = app.add_passkey(&tokens.access, &mut passkey()).await;
    assert!(is_trusted(&app, &device, EMAIL).await, "another way in takes nothing away");
    let path = format!("/auth/user/passkeys/{}", added["id"].as_str().unwrap());
    app.delete(&path).bearer(&tokens.access).await.expect(200);
    has_ended(&app, &device, PASSWORD).await;
}

async fn a_changed_address_ends_it() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    app.confirm_password(&tokens.access).await;
    moved(&app, &tokens.access, EMAIL, "new@example.com").await;
    assert!(!is_trusted(&app, &device, "new@example.com").await);
}

async fn the_owners_arrival_ends_it() {
    let (app, Trusted { .. }) = with_device().await;
    // Somebody has made the account and its second factor, and nobody has proven the address.
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    sign_in(&app, EMAIL).await;
    none_is_left(&app).await;
}

async fn a_lock_down_ends_it() {
    let (app, Trusted { device, .. }) = with_device().await;
    // Longer ago than a lock down reaches back: the thief may have had the device.
    app.advance(8 * DAY);
    assert!(is_trusted(&app, &device, EMAIL).await);
    app.auth.admin().lock_down(&account_id(&app)).await.unwrap();
    none_is_left(&app).await;
}

async fn an_administrator_ends_it_with_all_sessions() {
    let (app, Trusted { device, enrolled, .. }) = with_device().await;
    app.auth.admin().end_all_sessions(&account_id(&app)).await.unwrap();
    has_ended(&app, &device, PASSWORD).await;
    trust(&app, EMAIL, &enrolled.authenticator).await;
}

async fn an_administrator_ends_it_with_everybodys_sessions() {
    let (app, Trusted { device, .. }) = with_device().await;
    app.auth.admin().end_everybodys_sessions().await.unwrap();
    has_ended(&app, &device, PASSWORD).await;
}

async fn a_deletion_ends_it() {
    let (app, Trusted { tokens, .. }) = with_device().await;
    app.confirm_password(&tokens.access).await;
    delete(&app, &tokens.access).await.expect(202);
    none_is_left(&app).await;
}

/// The account was restored with what was proven before it: that the device was trusted then is not enough for a device now.
async fn a_restored_account_needs_the_second_factor_again() {
    let (app, Trusted { tokens, enrolled, .. }) = with_device().await;
    app.confirm_password(&tokens.access).await;
    delete(&app, &tokens.access).await.expect(202);
    let token = app.challenge_token(EMAIL).await;
    let code = enrolled.authenticator.code(&app);
    let refused = super::trusting(&app, &token, &code).await.refused(403, "account_pending_deletion");
    none_is_left(&app).await;
    let restored = restore_after(&app, &refused).await.expect(200);
    assert_eq!(restored.device(), None);
    assert!(list(&app, &restored.tokens()).await.is_empty());
}

async fn an_account_that_is_closed_keeps_none() {
    let (app, _) = with_device().await;
    app.auth.close_account(&account_id(&app)).await.unwrap();
    none_is_left(&app).await;
}

async fn a_suspended_user_gets_in_with_it_no_more_than_without() {
    let (app, Trusted { device, .. }) = with_device().await;
    app.users.update(EMAIL, |user| user.active = false);
    login_on(&app, &device, EMAIL).await.refused(401, "invalid_credentials");
    app.users.update(EMAIL, |user| user.active = true);
    assert!(is_trusted(&app, &device, EMAIL).await);
}

async fn a_password_that_the_host_has_changed_ends_it() {
    let (app, Trusted { device, .. }) = with_device().await;
    app.register("grace@example.com").await;
    let hash = app.users.by_email("grace@example.com").unwrap().password;
    app.users.update(EMAIL, |user| user.password = hash);
    assert!(!is_trusted(&app, &device, EMAIL).await);
}

/// The credentials stay the same, so the device stays trusted.
#[tokio::test]
async fn a_password_that_is_hashed_again_does_not_end_it() {
    let place = Place::memory();
    let cost = |cost| move |config| unlimited(config).bcrypt_cost(cost);
    let before = place.start_with(cost(4)).await;
    let Trusted { device, .. } = trusted(&before, EMAIL).await;
    let hash = before.users.by_email(EMAIL).unwrap().password;
    let after = place.start_with(cost(5)).await;
    assert!(is_trusted(&after, &device, EMAIL).await);
    assert_ne!(after.users.by_email(EMAIL).unwrap().password, hash);
    for app in [&after, &before, &after] {
        assert!(is_trusted(app, &device, EMAIL).await);
    }
}

async fn it_is_trusted_on_every_instance_and_after_a_restart(place: &Place) {
    let first = place.start_with(unlimited).await;
    let second = place.start_with(unlimited).await;
    let Trusted { device, .. } = trusted(&first, EMAIL).await;
    assert!(is_trusted(&second, &device, EMAIL).await);
    let restarted = place.start_with(unlimited).await;
    let tokens = login_on(&restarted, &device, EMAIL).await.expect(200).tokens();
    restarted.confirm_password(&tokens.access).await;
    let id = super::id(&list(&restarted, &tokens).await[0]).to_owned();
    super::forget(&restarted, &tokens, &id).await.expect(200);
    for app in [&first, &second, &restarted, &place.start_with(unlimited).await] {
        assert!(!is_trusted(app, &device, EMAIL).await);
    }
}

async fn expired_ones_are_deleted_with_sessions(place: &Place) {
    let app = place.start_with(unlimited).await;
    let Trusted { tokens, .. } = trusted(&app, EMAIL).await;
    let user = forge::claims(&tokens.access)["sub"].as_str().unwrap().to_owned();
    let devices =
        async || place.rows(&user).await.iter().filter(|row| row.kind == SessionKind::Device).count();
    place.clock.advance(std::time::Duration::from_secs(30 * DAY - 60));
    app.auth.maintain().await.unwrap();
    assert_eq!(devices().await, 1);
    place.clock.advance(std::time::Duration::from_secs(60));
    app.auth.maintain().await.unwrap();
    assert_eq!(devices().await, 0);
}
