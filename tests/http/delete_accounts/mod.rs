//! DELETE_ACCOUNTS: a user has the account deleted, can change their mind, and is deleted when the time is over.

mod administrators;
mod due;
mod endings;
mod in_handlers;
mod mails;
mod pending;
mod races;
mod restoring;
mod scheduling;

use crate::change_emails::{unlimited, verified};
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::places::Place;
use crate::support::routers::CHALLENGE_COOKIE;
use crate::support::{App, Call, EMAIL, PASSWORD, Tokens};
use axum_auth_module::config::{AuthConfigBuilder, DeletionOptions};
use axum_auth_module::delivery::{AccountDeletionKind, AccountDeletionMessage};
use axum_auth_module::feature::Feature;
use axum_auth_module::services::DeleteAccountsService;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::json;
use std::time::{Duration, SystemTime};

/// The grace of the module by default, in seconds.
const GRACE: u64 = 14 * 86_400;

pub(crate) fn delete(app: &App, access: &str) -> Call {
    app.delete("/auth/user").bearer(access)
}

/// Restores with the token of a mail.
pub(crate) fn restore(app: &App, token: &str) -> Call {
    app.post("/auth/user/restore").json(&json!({ "restoreToken": token }))
}

/// Restores with the token of a sign-in, which a browser has in a cookie.
pub(crate) fn restore_after(app: &App, refused: &Answer) -> Call {
    match app.is_for_browsers() {
        true => {
            let cookie = refused.challenge().expect("a cookie");
            app.post("/auth/user/restore").header("cookie", &format!("{CHALLENGE_COOKIE}={cookie}"))
        }
        false => restore(app, refused.body["restoreToken"].as_str().expect("a token")),
    }
}

/// The next mail about a deletion.
async fn mail(app: &App, email: &str, kind: AccountDeletionKind) -> AccountDeletionMessage {
    let mail = app.outbox.next::<AccountDeletionMessage>().await;
    assert_eq!((mail.email.as_str(), mail.kind), (email, kind));
    mail
}

/// The next mails about a deletion, one to each of these addresses. They are sent at the same time.
async fn two_mails(app: &App, emails: [&str; 2], kind: AccountDeletionKind) -> [AccountDeletionMessage; 2] {
    let next = async || app.outbox.next::<AccountDeletionMessage>().await;
    let mut mails = [next().await, next().await];
    if mails[0].email != emails[0] {
        mails.reverse();
    }
    let sent = mails.each_ref().map(|mail| (mail.email.as_str(), mail.kind));
    assert_eq!(sent, emails.map(|email| (email, kind)));
    mails
}

/// A sign-in that is held back: the account of this address is pending.
async fn held_back(app: &App, email: &str) -> Answer {
    app.login_call(email, PASSWORD).await.refused(403, "account_pending_deletion")
}

fn with_grace(seconds: u64) -> impl Fn(AuthConfigBuilder) -> AuthConfigBuilder {
    move |config| {
        let mut options = DeletionOptions::default();
        options.grace = Duration::from_secs(seconds);
        unlimited(config).deletion(options)
    }
}

/// A host, and a user with a verified address in a session whose password was confirmed.
async fn with_user() -> (App, Tokens) {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    (app, tokens)
}

/// Such a host and such a user at a place.
async fn at(place: &Place) -> (App, Tokens) {
    let app = place.start_with(unlimited).await;
    let tokens = verified(&app, EMAIL).await;
    (app, tokens)
}

/// A host with a user whose deletion is pending, and the mail about it.
async fn with_pending() -> (App, AccountDeletionMessage) {
    let (app, tokens) = with_user().await;
    delete(&app, &tokens.access).await.expect(202);
    let told = mail(&app, EMAIL, AccountDeletionKind::Scheduled).await;
    (app, told)
}

/// A time as responses have it.
fn rfc3339(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// What the module does about every ten minutes.
async fn pass(app: &App) {
    app.auth.maintain().await.unwrap();
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<DeleteAccountsService>(Feature::DELETE_ACCOUNTS).await;
}
