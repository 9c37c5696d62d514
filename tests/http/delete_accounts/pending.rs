//! A pending deletion: every way in leads to the refusal after all proofs, and what needs no session behaves as for a suspended user.

use super::{delete, mail, restore_after, unlimited, with_pending};
use crate::change_emails::verified;
use crate::email_login::{begin, with_code};
use crate::support::passkeys::passkey;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL};
use axum_auth_module::delivery::{AccountDeletionKind, EmailLoginMessage, PasswordResetMessage};
use serde_json::json;

on_both_routers![
    a_wrong_password_is_refused_as_ever,
    the_second_factor_is_asked_for_first,
    a_passkey_is_held_back,
    a_reset_of_before_is_refused_and_a_new_one_is_not_mailed,
    a_sign_in_by_mail_is_refused,
    the_session_list_of_an_administrator_is_empty,
];

async fn a_wrong_password_is_refused_as_ever() {
    let (app, _) = with_pending().await;
    app.login_call(EMAIL, "not the password").await.refused(401, "invalid_credentials");
}

async fn the_second_factor_is_asked_for_first() {
    let app = App::with_everything_and(unlimited, |module| module).await;
    verified(&app, EMAIL).await;
    let (authenticator, tokens) = {
        let tokens = app.login(EMAIL).await;
        app.confirm_password(&tokens.access).await;
        app.enable(&tokens.access).await.expect(200);
        let authenticator = app.authenticator(&tokens.access).await;
        let code = authenticator.code(&app);
        (authenticator, app.confirm_two_factor(&tokens.access, &code).await.expect(200).tokens())
    };
    delete(&app, &tokens.access).await.expect(202);
    mail(&app, EMAIL, AccountDeletionKind::Scheduled).await;
    let challenge = app.login_call(EMAIL, crate::support::PASSWORD).await.expect(200).challenge().unwrap();
    app.advance(30);
    let code = json!({ "code": authenticator.code(&app) });
    let call = app.post("/auth/two-factor-challenge").challenge(&challenge, code);
    let refused = call.await.refused(403, "account_pending_deletion");
    let tokens = restore_after(&app, &refused).await.expect(200).tokens();
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(sessions.body["sessions"][0]["authenticatedBy"], json!(["pwd", "otp", "mfa"]));
}

async fn a_passkey_is_held_back() {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let mut passkey = passkey();
    app.add_passkey(&tokens.access, &mut passkey).await;
    app.confirm_password(&tokens.access).await;
    delete(&app, &tokens.access).await.expect(202);
    let refused = app.sign_in_with(&mut passkey).await.refused(403, "account_pending_deletion");
    restore_after(&app, &refused).await.expect(200).tokens();
}

async fn a_reset_of_before_is_refused_and_a_new_one_is_not_mailed() {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let token = crate::reset_passwords::reset_password::token(&app, &app.outbox, EMAIL).await;
    delete(&app, &tokens.access).await.expect(202);
    let reset =
        |token: &str| crate::reset_passwords::reset_password::reset(&app, EMAIL, token, "another password");
    reset(&token).await.refused(422, "invalid_reset_token");
    let forgotten = app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    let unknown =
        app.post("/auth/forgot-password").json(&json!({ "email": "no@example.com" })).await.expect(200);
    assert_eq!(forgotten.body, unknown.body);
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<PasswordResetMessage>().is_none());
}

async fn a_sign_in_by_mail_is_refused() {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let begun = begin(&app, EMAIL).await;
    delete(&app, &tokens.access).await.expect(202);
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    app.post("/auth/login/email").json(&json!({ "email": EMAIL })).await.expect(200);
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<EmailLoginMessage>().is_none());
}

async fn the_session_list_of_an_administrator_is_empty() {
    let (app, _) = with_pending().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    super::held_back(&app, EMAIL).await;
    assert!(app.auth.admin().sessions_of(&id).await.unwrap().is_empty(), "the row of the attempt is gone");
}
