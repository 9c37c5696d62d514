//! SECURITY_NOTICES: of what the owner of an account is told, and the link that locks the account down.

mod kinds;
mod links;
mod sign_ins;

use crate::change_emails::{unlimited, verified};
use crate::every_route::features_off::service_is_there_only_with;
use crate::impersonation::SupportDesk;
use crate::support::{App, Call, EMAIL, Tokens};
use axum_auth_module::delivery::{SecurityNoticeKind, SecurityNoticeMessage};
use axum_auth_module::feature::Feature;
use axum_auth_module::services::SecurityNoticesService;
use serde_json::json;

pub(crate) fn secure(app: &App, token: &str) -> Call {
    app.post("/auth/account/secure").json(&json!({ "token": token }))
}

/// All notices that have been sent since the last call, of whatever the module still does.
pub(crate) async fn notices(app: &App) -> Vec<SecurityNoticeMessage> {
    app.auth.background_work_finished().await;
    std::iter::from_fn(|| app.outbox.take()).collect()
}

/// The kinds of all notices since the last call.
async fn kinds(app: &App) -> Vec<SecurityNoticeKind> {
    notices(app).await.iter().map(|notice| notice.kind).collect()
}

/// The one notice that was sent since the last call.
async fn one(app: &App, kind: SecurityNoticeKind) -> SecurityNoticeMessage {
    let mut all = notices(app).await;
    let told: Vec<_> = all.iter().map(|notice| notice.kind).collect();
    assert_eq!(told, [kind]);
    all.remove(0)
}

/// A host, and a user with a verified address in a session whose password was confirmed.
async fn with_user() -> (App, Tokens) {
    let app = App::with_everything_and(unlimited, |module| module.policy(SupportDesk)).await;
    let tokens = verified(&app, EMAIL).await;
    (app, tokens)
}

/// The user switches a second factor on. Its notice is taken out.
async fn enrol(app: &App, tokens: &Tokens) -> (Tokens, crate::support::authenticator::Authenticator) {
    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    let confirmed = app.confirm_two_factor(&tokens.access, &authenticator.code(app)).await;
    let tokens = confirmed.expect(200).tokens();
    one(app, SecurityNoticeKind::TwoFactorEnabled).await;
    app.next_step();
    (tokens, authenticator)
}

/// The user changes the password, and returns the session as it continues.
async fn change_password(app: &App, access: &str, from: &str, to: &str) -> Tokens {
    let body = json!({ "currentPassword": from, "password": to, "passwordConfirmation": to });
    app.put("/auth/user/password").bearer(access).json(&body).await.expect(200).tokens()
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<SecurityNoticesService>(Feature::SECURITY_NOTICES).await;
}
