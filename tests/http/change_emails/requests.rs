//! Asking for another address: what the mailbox is told, and what nobody learns.

use super::{NEW, ask, asked, cancel, confirm, host, mail, pending, verified, with_user};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL};
use axum_auth_module::async_trait;
use axum_auth_module::clock::Clock;
use axum_auth_module::config::RateLimits;
use axum_auth_module::delivery::{EmailChangeMessage, EmailChangePurpose};
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::values::EmailAddress;
use serde_json::{Value, json};
use std::time::Duration;

on_both_routers![
    a_new_address_gets_a_link_and_the_account_keeps_its_own,
    the_address_of_the_user_is_refused,
    it_takes_a_recent_confirmation,
    an_address_with_an_account_looks_like_any_other,
    a_cancelled_change_stays_cancelled,
    only_the_newest_request_counts,
    an_account_can_ask_five_times_in_an_hour,
    three_accounts_can_ask_for_one_address_in_an_hour,
    a_user_whom_the_policy_refuses_asks_for_nothing,
];

async fn a_new_address_gets_a_link_and_the_account_keeps_its_own() {
    let (app, tokens) = with_user().await;
    let began = app.clock.now();
    let answer = ask(&app, &tokens.access, "New@Example.com").from("203.0.113.9").await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    let mail = mail(&app, NEW, EmailChangePurpose::Confirm).await;
    assert_eq!(mail.client, "203.0.113.9".parse().ok());
    let lasts = mail.expires_at.duration_since(began).unwrap().as_secs_f64();
    assert!((86_399.0..=86_401.0).contains(&lasts), "{lasts}");
    assert!(mail.token.unwrap().starts_with("fl1."));
    let shown = pending(&app, &tokens.access).await;
    assert_eq!(shown["email"], NEW);
    assert_eq!(shown.as_object().unwrap().len(), 2);
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.email_verified_at.is_some() && app.users.by_email(NEW).is_none());
    let events = app.event_names::<3>().await;
    assert_eq!(events[1..], ["auth.email-verified", "auth.email-change-requested"]);
}

async fn the_address_of_the_user_is_refused() {
    let (app, tokens) = with_user().await;
    for same in [EMAIL, "ADA@EXAMPLE.COM"] {
        let errors = ask(&app, &tokens.access, same).await.field_errors();
        assert_eq!(errors, ["email: unchanged"], "{same}");
    }
    assert_eq!(ask(&app, &tokens.access, "no address").await.field_errors(), ["email: invalid"]);
    assert_eq!(pending(&app, &tokens.access).await, Value::Null);
}

async fn it_takes_a_recent_confirmation() {
    let app = host().await;
    let tokens = app.register(EMAIL).await;
    ask(&app, &tokens.access, NEW).await.refused(403, "password_confirmation_required");
    app.confirm_password(&tokens.access).await;
    asked(&app, &tokens.access, NEW).await;
    app.advance(900);
    ask(&app, &app.renew(&tokens).await.access, NEW).await.refused(403, "password_confirmation_required");
}

/// Status, headers and body are compared; the mail is the owner's, and has no link.
async fn an_address_with_an_account_looks_like_any_other() {
    let (app, tokens) = with_user().await;
    let free = ask(&app, &tokens.access, NEW).await.expect(200);
    let seen = pending(&app, &tokens.access).await;
    mail(&app, NEW, EmailChangePurpose::Confirm).await;
    verified(&app, "bob@example.com").await;
    let taken = ask(&app, &tokens.access, "bob@example.com").await.expect(200);
    assert_eq!((taken.status, &taken.body), (free.status, &free.body));
    let told = mail(&app, "bob@example.com", EmailChangePurpose::Taken).await;
    assert!(told.token.is_none());
    let shown = pending(&app, &tokens.access).await;
    assert_eq!(shown, json!({ "email": "bob@example.com", "expiresAt": seen["expiresAt"] }));
}

async fn a_cancelled_change_stays_cancelled() {
    let (app, tokens) = with_user().await;
    cancel(&app, &tokens.access).await.expect(200);
    let token = asked(&app, &tokens.access, NEW).await;
    let answer = cancel(&app, &tokens.access).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    assert_eq!(pending(&app, &tokens.access).await, Value::Null);
    confirm(&app, &tokens.access, &token).await.refused(422, "invalid_mail_token");
    // A later request for the address does not bring it back.
    let newer = asked(&app, &tokens.access, NEW).await;
    confirm(&app, &tokens.access, &token).await.refused(422, "invalid_mail_token");
    confirm(&app, &tokens.access, &newer).await.expect(200);
}

async fn only_the_newest_request_counts() {
    let (app, tokens) = with_user().await;
    let first = asked(&app, &tokens.access, "first@example.com").await;
    let second = asked(&app, &tokens.access, NEW).await;
    confirm(&app, &tokens.access, &first).await.refused(422, "invalid_mail_token");
    assert_eq!(pending(&app, &tokens.access).await["email"], NEW);
    confirm(&app, &tokens.access, &second).await.expect(200);
    assert!(app.users.by_email(NEW).is_some());
}

async fn an_account_can_ask_five_times_in_an_hour() {
    let app = App::with_everything().await;
    let tokens = app.confirmed_session(EMAIL).await;
    for number in 0..5 {
        asked(&app, &tokens.access, &format!("{number}@example.com")).await;
    }
    ask(&app, &tokens.access, NEW).await.refused(429, "too_many_attempts");
}

/// The limit protects a mailbox from strangers. What one account asks for is counted once, so one stranger does not keep the
/// owner of a mailbox from it.
async fn three_accounts_can_ask_for_one_address_in_an_hour() {
    let app = App::with_everything().await;
    let mut accounts = Vec::new();
    for number in 0..4 {
        accounts.push(app.confirmed_session(&format!("{number}@example.com")).await);
    }
    for _ in 0..4 {
        asked(&app, &accounts[0].access, NEW).await;
    }
    for account in &accounts[1..3] {
        asked(&app, &account.access, NEW).await;
    }
    ask(&app, &accounts[3].access, NEW).await.refused(429, "too_many_attempts");
    // Who was counted may ask again.
    asked(&app, &accounts[0].access, NEW).await;
    let limit = RateLimits::default().email_change_address;
    assert_eq!((limit.limit, limit.window), (3, Duration::from_secs(3600)));
}

/// Lets nobody have an address at this domain.
struct NoTests;

#[async_trait]
impl Policy<Account> for NoTests {
    async fn allows_email(&self, email: &EmailAddress, _: Option<&Account>) -> Result<(), PolicyError> {
        match email.as_str().ends_with("@test.example") {
            true => Err(PolicyError::refused("blocked", "Not this one.")),
            false => Ok(()),
        }
    }
}

async fn a_user_whom_the_policy_refuses_asks_for_nothing() {
    let app = App::with_everything_and(|config| config, |module| module.policy(NoTests)).await;
    let tokens = app.confirmed_session(EMAIL).await;
    let refused = ask(&app, &tokens.access, "somebody@test.example").await;
    assert_eq!(refused.field_errors(), ["email: blocked"]);
    assert!(app.outbox.take::<EmailChangeMessage>().is_none());
    assert_eq!(pending(&app, &tokens.access).await, Value::Null);
}
