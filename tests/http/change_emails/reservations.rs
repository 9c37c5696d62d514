//! The previous address is kept for its account while it can take the account back.

use super::{NEW, ask, asked, confirm, mail, moved, revert, verified, with_user};
use crate::email_login;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, registration};
use axum_auth_module::delivery::{EmailChangeMessage, EmailChangePurpose};
use axum_auth_module::error::AuthError;
use axum_auth_module::values::EmailAddress;

on_both_routers![
    nobody_else_gets_it_until_the_link_has_ended,
    the_account_can_go_back_which_ends_the_link,
    an_account_that_is_closed_keeps_nothing,
];

in_every_place![it_is_kept_over_a_restart];

/// Nobody can register, be created by a mail, change to it or be given it.
async fn is_kept(app: &App) {
    let stranger = "Ada@Example.com";
    app.post("/auth/register").json(&registration(stranger)).await.refused(409, "email_taken");
    let begun = email_login::begin(app, EMAIL).await;
    let proven = email_login::with_code(app, &begun.flow, begun.code()).await.expect(200);
    let body = serde_json::json!({ "registrationToken": proven.body["registrationToken"], "name": "Eve" });
    app.post("/auth/register/passwordless").json(&body).await.refused(409, "email_taken");
}

async fn nobody_else_gets_it_until_the_link_has_ended() {
    let (app, tokens) = with_user().await;
    moved(&app, &tokens.access, EMAIL, NEW).await;
    is_kept(&app).await;
    let eve = verified(&app, "eve@example.com").await;
    ask(&app, &eve.access, EMAIL).await.expect(200);
    mail(&app, EMAIL, EmailChangePurpose::Taken).await;
    let id = app.users.by_email("eve@example.com").unwrap().id;
    let given = app.auth.admin().change_email(&id, &EmailAddress::parse(EMAIL).unwrap()).await;
    assert!(matches!(given, Err(AuthError::EmailTaken)), "{given:?}");
    app.advance(7 * 86_400);
    app.register(EMAIL).await;
}

/// The account itself is told nothing special, and what it had mailed before ends.
async fn the_account_can_go_back_which_ends_the_link() {
    let (app, tokens) = with_user().await;
    let (tokens, told) = moved(&app, &tokens.access, EMAIL, NEW).await;
    app.confirm_password(&tokens.access).await;
    let token = asked(&app, &tokens.access, EMAIL).await;
    let tokens = confirm(&app, &tokens.access, &token).await.expect(200).tokens();
    let left = mail(&app, NEW, EmailChangePurpose::Changed).await;
    assert!(left.token.is_none(), "while the first address had a link, no other one got one");
    revert(&app, &told.token.unwrap()).await.expect(200);
    app.me(&tokens.access).await.expect(200);
    app.register(NEW).await;
    // The next change has a link again.
    app.confirm_password(&tokens.access).await;
    let (_, told) = moved(&app, &tokens.access, EMAIL, "third@example.com").await;
    assert!(told.token.is_some());
}

async fn an_account_that_is_closed_keeps_nothing() {
    let (app, tokens) = with_user().await;
    let (_, told) = moved(&app, &tokens.access, EMAIL, NEW).await;
    let id = app.users.by_email(NEW).unwrap().id;
    app.auth.close_account(&id).await.unwrap();
    app.users.remove(NEW);
    revert(&app, &told.token.unwrap()).await.refused(422, "invalid_mail_token");
    app.register(EMAIL).await;
}

async fn it_is_kept_over_a_restart(place: &Place) {
    let (app, tokens) = super::at(place).await;
    let (tokens, told) = moved(&app, &tokens.access, EMAIL, NEW).await;
    app.confirm_password(&tokens.access).await;
    let token = asked(&app, &tokens.access, "third@example.com").await;
    drop(app);
    let app = place.start_with(super::unlimited).await;
    is_kept(&app).await;
    // So is what was asked for, and the way back.
    confirm(&app, &tokens.access, &token).await.expect(200);
    while app.outbox.take::<EmailChangeMessage>().is_some() {}
    drop(app);
    let app = place.start_with(super::unlimited).await;
    revert(&app, &told.token.unwrap()).await.expect(200);
    place.user(EMAIL).await;
    app.post("/auth/register").json(&registration("third@example.com")).await.expect(201);
}
