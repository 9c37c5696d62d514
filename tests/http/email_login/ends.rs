//! What ends a sign-in by mail that has begun, and what does not: a thief in a session must not cancel the owner's way back.

use super::{begin, sign_in, with_code, with_user};
use crate::reset_passwords::reset_password::{NEW, reset, token};
use crate::support::routers::on_both_routers;
use crate::support::{EMAIL, PASSWORD};
use axum_auth_module::delivery::EmailLoginMessage;
use serde_json::json;

on_both_routers![
    what_somebody_does_in_a_session_ends_no_sign_in_by_mail,
    a_reset_ends_it,
    a_suspension_ends_it,
    a_change_of_the_address_ends_it_even_if_the_address_comes_back,
    another_user_with_the_address_does_not_get_in,
    a_challenge_that_was_issued_before_the_end_of_all_sessions_opens_nothing,
];

async fn what_somebody_does_in_a_session_ends_no_sign_in_by_mail() {
    let (app, tokens) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    app.confirm_password(&tokens.access).await;
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    let code = authenticator.code(&app);
    let tokens = app.confirm_two_factor(&tokens.access, &code).await.expect(200).tokens();
    app.next_step();
    let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    let tokens = app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200).tokens();
    app.delete("/auth/user/sessions").bearer(&tokens.access).await;
    app.auth.admin().end_all_sessions(&1).await.unwrap();
    // What is still required is the second factor.
    let answer = with_code(&app, &begun.flow, begun.code()).await.expect(200);
    let challenge = answer.challenge().unwrap();
    app.challenge(&challenge, &authenticator.code(&app)).await.expect(200);
}

async fn a_reset_ends_it() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    let reset_token = token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &reset_token, NEW).await.expect(200);
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    sign_in(&app, EMAIL).await;
}

async fn a_suspension_ends_it() {
    let (app, _) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    app.users.update(EMAIL, |user| user.active = false);
    app.event_names::<2>().await;
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    assert_eq!(app.event().await.name(), "auth.login-failed");
    app.users.update(EMAIL, |user| user.active = true);
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
}

async fn a_change_of_the_address_ends_it_even_if_the_address_comes_back() {
    let (app, tokens) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    for email in ["away@example.com", EMAIL] {
        let body = json!({ "name": "Ada", "email": email });
        app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    }
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
}

async fn another_user_with_the_address_does_not_get_in() {
    let (app, tokens) = with_user().await;
    let begun = begin(&app, EMAIL).await;
    let body = json!({ "name": "Ada", "email": "away@example.com" });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    super::verified(&app, EMAIL).await;
    with_code(&app, &begun.flow, begun.code()).await.refused(422, "invalid_flow_token");
    assert!(app.outbox.take::<EmailLoginMessage>().is_none());
}

async fn a_challenge_that_was_issued_before_the_end_of_all_sessions_opens_nothing() {
    let (app, tokens) = with_user().await;
    app.confirm_password(&tokens.access).await;
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await.expect(200);
    app.next_step();
    let before = app.challenge_token(EMAIL).await;
    app.auth.admin().end_all_sessions(&1).await.unwrap();
    app.challenge(&before, &authenticator.code(&app)).await.refused(401, "invalid_challenge_token");
    let after = app.challenge_token(EMAIL).await;
    app.challenge(&after, &authenticator.code(&app)).await.expect(200);
}
