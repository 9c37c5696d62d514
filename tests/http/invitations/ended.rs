//! What ends an invitation: everything by which the account gets or loses a password in another way, and another address.

use super::{NEW, accept, id, with_invitation};
use crate::email_login;
use crate::reset_passwords::reset_password;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::values::EmailAddress;
use serde_json::json;

on_both_routers![
    a_reset_ends_it,
    a_password_that_was_set_and_removed_in_a_session_ends_it,
    a_lock_down_ends_it,
    an_administrator_who_requires_a_new_password_ends_it,
    another_address_ends_it,
    a_suspended_user_cannot_accept_it,
    a_user_who_is_going_to_be_deleted_cannot_accept_it,
    an_account_that_is_closed_has_none,
];

async fn is_refused(app: &App, token: &str) {
    accept(app, token, NEW).await.refused(422, "invalid_mail_token");
    app.login_call(EMAIL, NEW).await.refused(401, "invalid_credentials");
}

async fn a_reset_ends_it() {
    let (app, token) = with_invitation().await;
    let reset = reset_password::token(&app, &app.outbox, EMAIL).await;
    reset_password::reset(&app, EMAIL, &reset, PASSWORD).await.expect(200);
    is_refused(&app, &token).await;
    app.login_call(EMAIL, PASSWORD).await.expect(200);
    // Also when the password is gone again.
    app.auth.admin().require_new_password(&id(&app)).await.unwrap();
    is_refused(&app, &token).await;
}

async fn a_password_that_was_set_and_removed_in_a_session_ends_it() {
    let (app, token) = with_invitation().await;
    let tokens = email_login::sign_in(&app, EMAIL).await.expect(200).tokens();
    let body = json!({ "password": PASSWORD, "passwordConfirmation": PASSWORD });
    let set = app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
    is_refused(&app, &token).await;
    let tokens = set.tokens();
    app.confirm_password(&tokens.access).await;
    app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200);
    is_refused(&app, &token).await;
}

async fn a_lock_down_ends_it() {
    let (app, token) = with_invitation().await;
    app.auth.admin().lock_down(&id(&app)).await.unwrap();
    is_refused(&app, &token).await;
}

async fn an_administrator_who_requires_a_new_password_ends_it() {
    let (app, token) = with_invitation().await;
    app.auth.admin().require_new_password(&id(&app)).await.unwrap();
    assert_eq!(app.outbox.next::<PasswordResetMessage>().await.email, EMAIL);
    is_refused(&app, &token).await;
}

async fn another_address_ends_it() {
    let (app, token) = with_invitation().await;
    let other = EmailAddress::parse("other@example.com").unwrap();
    app.auth.admin().change_email(&id(&app), &other).await.unwrap();
    is_refused(&app, &token).await;
    let stored = app.users.by_email("other@example.com").unwrap();
    assert!(stored.password.is_empty());
}

async fn a_suspended_user_cannot_accept_it() {
    let (app, token) = with_invitation().await;
    app.users.update(EMAIL, |user| user.active = false);
    is_refused(&app, &token).await;
    app.users.update(EMAIL, |user| user.active = true);
    accept(&app, &token, NEW).await.expect(200);
}

async fn a_user_who_is_going_to_be_deleted_cannot_accept_it() {
    let (app, token) = with_invitation().await;
    app.auth.admin().schedule_deletion(&id(&app)).await.unwrap();
    is_refused(&app, &token).await;
    app.auth.admin().cancel_deletion(&id(&app)).await.unwrap();
    accept(&app, &token, NEW).await.expect(200);
}

async fn an_account_that_is_closed_has_none() {
    let (app, token) = with_invitation().await;
    app.auth.close_account(&id(&app)).await.unwrap();
    let stored = app.auth.admin().export(&id(&app)).await.unwrap();
    assert!(stored.get("invitation").is_none(), "{stored}");
    is_refused(&app, &token).await;
}
