//! `DELETE /user`: what it needs, what it returns, and what ends.

use super::{GRACE, delete, held_back, mail, pass, rfc3339, two_mails, with_grace, with_user};
use crate::change_emails::{moved, verified};
use crate::support::providers::{Behaviour, Deletes, Outbox};
use crate::support::routers::on_both_routers;
use crate::support::{App, Builder, EMAIL, PASSWORD};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::EmailChangeOptions;
use axum_auth_module::delivery::{AccountDeletionKind, AccountDeletionMessage};
use axum_auth_module::events::EventKind;
use axum_auth_module::testing::MemoryDeletions;
use serde_json::json;
use std::time::Duration;

on_both_routers![
    every_session_ends_and_the_response_says_when_the_account_goes,
    it_needs_a_recent_confirmation,
    a_second_request_keeps_the_time,
    an_address_that_can_take_the_account_back_keeps_it_longer,
    without_grace_the_user_is_deleted_in_the_request,
    without_grace_an_address_that_can_take_the_account_back_keeps_it,
    without_grace_a_failure_leaves_the_user_to_a_later_pass,
    a_user_without_a_verified_address_gets_no_mail,
    the_address_stays_taken,
];

async fn every_session_ends_and_the_response_says_when_the_account_goes() {
    let (app, tokens) = with_user().await;
    while app.event().await.name() != "auth.email-verified" {}
    let other = app.login(EMAIL).await;
    while app.event().await.name() != "auth.login" {}
    let answer = delete(&app, &tokens.access).await.expect(202);
    assert_eq!(answer.members(), ["deletesAt", "message"]);
    let deletes_at = app.clock.now() + Duration::from_secs(GRACE);
    assert_eq!(answer.body["deletesAt"], rfc3339(deletes_at).as_str());
    if app.is_for_browsers() {
        let expired = answer.set_cookies().iter().filter(|cookie| cookie.is_expired()).count();
        assert_eq!(expired, 2, "the cookies of the session and of a challenge");
    }
    app.is_over(&tokens).await;
    app.is_over(&other).await;
    let told = mail(&app, EMAIL, AccountDeletionKind::Scheduled).await;
    assert_eq!(rfc3339(told.deletes_at), rfc3339(deletes_at));
    assert_eq!(told.client.unwrap().to_string(), "192.0.2.1");
    assert!(app.users.by_email(EMAIL).is_some(), "the record is there as before");
    let mut ended = 0;
    let scheduled = loop {
        let event = app.event().await;
        match event.kind {
            EventKind::SessionEnded { reason, .. } => {
                assert_eq!(reason.as_str(), "deletion-scheduled");
                ended += 1;
            }
            _ => break event,
        }
    };
    assert_eq!((ended, scheduled.name()), (2, "auth.deletion-scheduled"));
    assert!(scheduled.user_id.is_some() && scheduled.client.is_some());
}

async fn it_needs_a_recent_confirmation() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    delete(&app, &tokens.access).await.refused(403, "password_confirmation_required");
    app.delete("/auth/user").await.refused(401, "unauthenticated");
    app.confirm_password(&tokens.access).await;
    app.advance(901);
    let tokens = app.renew(&tokens).await;
    delete(&app, &tokens.access).await.refused(403, "password_confirmation_required");
    app.me(&tokens.access).await.expect(200);
    assert!(app.users.by_email(EMAIL).is_some());
}

async fn a_second_request_keeps_the_time() {
    let (app, tokens) = with_user().await;
    let first = delete(&app, &tokens.access).await.expect(202).body["deletesAt"].clone();
    mail(&app, EMAIL, AccountDeletionKind::Scheduled).await;
    app.advance(3600);
    let id = app.users.by_email(EMAIL).unwrap().id;
    let second = app.auth.admin().schedule_deletion(&id).await.unwrap();
    assert_eq!(first, rfc3339(second).as_str());
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<AccountDeletionMessage>().is_none(), "one schedule, one mail");
}

async fn an_address_that_can_take_the_account_back_keeps_it_longer() {
    let app = App::with_everything_and(with_grace(3600), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let (tokens, _) = moved(&app, &tokens.access, EMAIL, "new@example.com").await;
    app.confirm_password(&tokens.access).await;
    app.advance(60);
    let answer = delete(&app, &tokens.access).await.expect(202);
    let lifetime = EmailChangeOptions::default().revert_lifetime - Duration::from_secs(60);
    assert_eq!(answer.body["deletesAt"], rfc3339(app.clock.now() + lifetime).as_str());
    for told in two_mails(&app, ["new@example.com", EMAIL], AccountDeletionKind::Scheduled).await {
        assert!(told.token.is_some(), "{} can keep the account", told.email);
    }
    app.advance(3601);
    pass(&app).await;
    held_back(&app, "new@example.com").await;
}

async fn without_grace_the_user_is_deleted_in_the_request() {
    let app = App::with_everything_and(with_grace(0), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let answer = delete(&app, &tokens.access).await.expect(202);
    assert_eq!(answer.body["deletesAt"], rfc3339(app.clock.now()).as_str());
    assert!(app.users.by_email(EMAIL).is_none());
    mail(&app, EMAIL, AccountDeletionKind::Done).await;
    app.is_over(&tokens).await;
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    // The address is free.
    app.register(EMAIL).await;
}

async fn without_grace_an_address_that_can_take_the_account_back_keeps_it() {
    let app = App::with_everything_and(with_grace(0), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let (tokens, _) = moved(&app, &tokens.access, EMAIL, "new@example.com").await;
    app.confirm_password(&tokens.access).await;
    delete(&app, &tokens.access).await.expect(202);
    assert!(app.users.by_email("new@example.com").is_some());
    app.advance(7 * 86_400);
    pass(&app).await;
    assert!(app.users.by_email("new@example.com").is_none());
}

async fn without_grace_a_failure_leaves_the_user_to_a_later_pass() {
    let deletes = Deletes::default();
    let module =
        |module: Builder| module.delete_accounts(MemoryDeletions::new(), deletes.clone(), Outbox::default());
    let app = App::with_everything_and(with_grace(0), module).await;
    let tokens = verified(&app, EMAIL).await;
    deletes.faults.before.set(Behaviour::FAIL);
    delete(&app, &tokens.access).await.expect(202);
    app.is_over(&tokens).await;
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    deletes.faults.before.set(Behaviour::WELL);
    app.advance(15 * 60);
    pass(&app).await;
    assert_eq!(deletes.calls(), 2);
}

async fn a_user_without_a_verified_address_gets_no_mail() {
    let app = App::with_everything().await;
    let tokens = app.confirmed_session(EMAIL).await;
    delete(&app, &tokens.access).await.expect(202);
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<AccountDeletionMessage>().is_none(), "nobody has proven the address");
    // Signing in restores it nevertheless.
    let refused = held_back(&app, EMAIL).await;
    super::restore_after(&app, &refused).await.expect(200);
}

async fn the_address_stays_taken() {
    let (app, _) = super::with_pending().await;
    let registration = json!({
        "name": "Eve", "email": EMAIL, "password": "another password", "passwordConfirmation": "another password",
    });
    app.post("/auth/register").json(&registration).await.refused(409, "email_taken");
}
