//! CHANGE_EMAILS: another address after it was proven, the way back of the previous one, and what is left of a thief.

mod administrators;
mod confirmations;
mod profiles;
mod races;
mod requests;
mod reservations;
mod reverts;
mod thief;

pub(crate) use thief::{is_the_owners_again, stolen, walks};

use crate::email_verification::notification::link;
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::places::Place;
use crate::support::{App, Call, EMAIL, Tokens};
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::delivery::{EmailChangeMessage, EmailChangePurpose};
use axum_auth_module::feature::Feature;
use axum_auth_module::services::ChangeEmailsService;
use serde_json::{Value, json};

/// The address to which most tests move.
pub(crate) const NEW: &str = "new@example.com";

pub(crate) fn ask(app: &App, access: &str, email: &str) -> Call {
    app.post("/auth/user/email-change").bearer(access).json(&json!({ "email": email }))
}

pub(crate) fn confirm(app: &App, access: &str, token: &str) -> Call {
    app.post("/auth/user/email-change/confirm").bearer(access).json(&json!({ "token": token }))
}

pub(crate) fn cancel(app: &App, access: &str) -> Call {
    app.delete("/auth/user/email-change").bearer(access)
}

pub(crate) fn revert(app: &App, token: &str) -> Call {
    app.post("/auth/email/revert").json(&json!({ "token": token }))
}

/// The pending change, as the user sees it.
async fn pending(app: &App, access: &str) -> Value {
    app.get("/auth/user/email-change").bearer(access).await.expect(200).body["pending"].clone()
}

/// The next mail about a change of the address.
pub(crate) async fn mail(app: &App, email: &str, purpose: EmailChangePurpose) -> EmailChangeMessage {
    let mail = app.outbox.next::<EmailChangeMessage>().await;
    assert_eq!((mail.email.as_str(), mail.purpose), (email, purpose));
    mail
}

/// Asks for an address, and returns the token of its mail. The password must have been confirmed.
pub(crate) async fn asked(app: &App, access: &str, email: &str) -> String {
    ask(app, access, email).await.expect(200);
    mail(app, email, EmailChangePurpose::Confirm).await.token.unwrap()
}

/// Changes the address in a session whose password was confirmed, and returns the session as it continues, and the mail to the
/// previous address.
pub(crate) async fn moved(app: &App, access: &str, from: &str, to: &str) -> (Tokens, EmailChangeMessage) {
    let token = asked(app, access, to).await;
    let tokens = confirm(app, access, &token).await.expect(200).tokens();
    (tokens, mail(app, from, EmailChangePurpose::Changed).await)
}

/// Limits that are not in the way of what a test is about.
fn no_limits() -> RateLimits {
    RateLimits::all(RateLimit::per_seconds(100_000, 60))
}

pub(crate) fn unlimited(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.limits(no_limits())
}

async fn host() -> App {
    App::with_everything_and(unlimited, |module| module).await
}

/// A host, and a user with a verified address in a session whose password was confirmed.
async fn with_user() -> (App, Tokens) {
    let app = host().await;
    let tokens = verified(&app, EMAIL).await;
    (app, tokens)
}

/// A user with a verified address, in a session whose password was confirmed.
pub(crate) async fn verified(app: &App, email: &str) -> Tokens {
    let tokens = app.confirmed_session(email).await;
    let link = link(app, &tokens).await.path("/auth");
    app.get(&link).bearer(&tokens.access).await.expect(200);
    tokens
}

/// Such a host and such a user at a place.
async fn at(place: &Place) -> (App, Tokens) {
    let app = place.start_with(unlimited).await;
    let tokens = verified(&app, EMAIL).await;
    (app, tokens)
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<ChangeEmailsService>(Feature::CHANGE_EMAILS).await;
}
