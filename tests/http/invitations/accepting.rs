//! `POST /invitation/accept` (specification §9.68).

use super::{NEW, accept, host, id, invited, with_invitation};
use crate::change_emails::unlimited;
use crate::email_login;
use crate::every_route::policy::Rules;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL};
use axum_auth_module::events::Actor;
use serde_json::json;

on_both_routers![
    an_invited_user_chooses_a_password_and_logs_in,
    the_fields_are_checked_and_cost_nothing,
    a_password_that_the_policy_refuses_leaves_the_token,
    a_text_that_is_no_token_is_refused,
    a_session_that_the_user_had_ends,
    the_calls_of_a_client_are_counted,
];

async fn an_invited_user_chooses_a_password_and_logs_in() {
    let (app, token) = with_invitation().await;
    app.login_call(EMAIL, "").await.expect(422);
    app.login_call(EMAIL, NEW).await.refused(401, "invalid_credentials");
    app.event_names::<2>().await;
    let answer = accept(&app, &token, NEW).await.expect(200);
    assert_eq!((answer.members(), answer.session().is_none()), (vec!["message"], true));
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.email_verified_at.is_some(), "who has the mail reads the mailbox");
    let accepted = app.event().await;
    assert_eq!((accepted.name(), accepted.by), ("auth.invitation-accepted", Actor::Client));
    assert_eq!(app.event_names().await, ["auth.email-verified", "auth.account-reclaimed"]);
    app.login_call(EMAIL, NEW).await.expect(200).tokens();
    // Once.
    accept(&app, &token, "another long password").await.refused(422, "invalid_mail_token");
    app.login_call(EMAIL, NEW).await.expect(200);
    let stored = app.auth.admin().export(&id(&app)).await.unwrap();
    assert!(stored.get("invitation").is_none(), "{stored}");
}

async fn the_fields_are_checked_and_cost_nothing() {
    let (app, token) = with_invitation().await;
    let post = |body| app.post("/auth/invitation/accept").json(&body);
    let missing = post(json!({})).await.field_errors();
    assert_eq!(missing, ["token: required", "password: required", "passwordConfirmation: required"]);
    let short = json!({ "token": token, "password": "short", "passwordConfirmation": "short" });
    assert_eq!(post(short).await.field_errors(), ["password: too_short"]);
    let other = json!({ "token": token, "password": NEW, "passwordConfirmation": "another" });
    assert_eq!(post(other).await.field_errors(), ["passwordConfirmation: mismatch"]);
    accept(&app, &token, NEW).await.expect(200);
}

async fn a_password_that_the_policy_refuses_leaves_the_token() {
    let rules = Rules::default();
    let app = App::with_everything_and(unlimited, |module| module.policy(rules.clone())).await;
    super::created(&app, EMAIL).await;
    let token = invited(&app, id(&app)).await.token.unwrap();
    rules.refuse(&["password"]);
    assert_eq!(accept(&app, &token, NEW).await.field_errors(), ["password: no_password"]);
    rules.refuse(&[]);
    accept(&app, &token, NEW).await.expect(200);
}

async fn a_text_that_is_no_token_is_refused() {
    let (app, token) = with_invitation().await;
    let mut edited = token.clone().into_bytes();
    let last = edited.len() - 1;
    edited[last] = if edited[last] == b'A' { b'B' } else { b'A' };
    for wrong in ["x", "fl1.", &String::from_utf8(edited).unwrap(), &format!("{token}x")] {
        accept(&app, wrong, NEW).await.refused(422, "invalid_mail_token");
    }
    let foreign = host().await;
    super::created(&foreign, EMAIL).await;
    accept(&foreign, &token, NEW).await.refused(422, "invalid_mail_token");
    accept(&app, &token, NEW).await.expect(200);
}

/// Somebody who reads the mailbox has signed in by mail before.
async fn a_session_that_the_user_had_ends() {
    let (app, token) = with_invitation().await;
    let tokens = email_login::sign_in(&app, EMAIL).await.expect(200).tokens();
    accept(&app, &token, NEW).await.expect(200);
    app.is_over(&tokens).await;
    app.login_call(EMAIL, NEW).await.expect(200);
}

async fn the_calls_of_a_client_are_counted() {
    let app = App::with_everything().await;
    for _ in 0..20 {
        accept(&app, "x", NEW).await.refused(422, "invalid_mail_token");
    }
    accept(&app, "x", NEW).await.refused(429, "too_many_attempts");
    accept(&app, "x", NEW).from("192.0.2.9").await.refused(422, "invalid_mail_token");
}
