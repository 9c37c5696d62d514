//! Who gets no token, and that the module accepts none: one that a service has leaked opens nothing of the account.

use super::{PATH, ask, token, with_user};
use crate::change_emails::unlimited;
use crate::every_route::declarations::call;
use crate::impersonation::{ACTOR, SupportDesk};
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL, endpoints_here};
use axum_auth_module::AuthError;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::endpoint::Credential;
use axum_auth_module::services::ServiceTokensService;
use serde_json::json;

on_both_routers![
    every_route_of_the_module_refuses_it,
    every_extractor_refuses_it,
    a_session_that_has_ended_gets_none,
    nobody_gets_one_for_somebody_else,
];

/// A request that carries the token where the router expects a credential.
fn with(app: &App, call: Call, token: &str) -> Call {
    let call = call.bearer(token);
    if app.is_for_browsers() { call.header("authorization", &format!("Bearer {token}")) } else { call }
}

async fn every_route_of_the_module_refuses_it() {
    let (app, tokens) = with_user().await;
    let token = token(&app, &tokens).await;
    let needs_session = |credential| !matches!(credential, Credential::NotRequired | Credential::Optional);
    let mut refused = 0;
    for endpoint in endpoints_here() {
        if needs_session(endpoint.credential_on(app.router)) {
            with(&app, call(&app, &endpoint), &token).json(&json!({})).await.refused(401, "unauthenticated");
            refused += 1;
        }
    }
    assert!(refused > 30, "{refused}");
    assert!(app.auth.authenticate(&token).await.is_err());
    if !app.is_for_browsers() {
        let body = json!({ "refreshToken": token });
        app.post("/auth/refresh").json(&body).await.refused(401, "invalid_refresh_token");
    }
    app.me(&tokens.access).await.expect(200);
}

async fn every_extractor_refuses_it() {
    let (app, tokens) = with_user().await;
    let token = token(&app, &tokens).await;
    for path in ["/me", "/verified", "/confirmed", "/claims", "/assured/aal1", "/assured/aal2/300"] {
        with(&app, app.get(path), &token).await.refused(401, "unauthenticated");
    }
    let as_program = app.get("/api/read").header("authorization", &format!("Bearer {token}")).await;
    as_program.refused(401, "invalid_api_token");
}

async fn a_session_that_has_ended_gets_none() {
    let (app, tokens) = with_user().await;
    ask(&app, &tokens, "billing").await.expect(200);
    app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    ask(&app, &tokens, "billing").await.refused(401, "unauthenticated");
    app.post(PATH).json(&json!({ "audience": "billing" })).await.refused(401, "unauthenticated");
}

async fn nobody_gets_one_for_somebody_else() {
    let app = App::with_everything_and(unlimited, |module| module.policy(SupportDesk)).await;
    app.register(EMAIL).await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    let acting = app.auth.admin().impersonate(ACTOR, &id, "Ticket 4711").await;
    let identity = app.auth.authenticate(&acting.unwrap().tokens.access_token).await.unwrap();
    let service = app.auth.service::<ServiceTokensService>().unwrap();
    let refused = service.create(&identity, "billing", ClientAddress::UNKNOWN).await;
    assert!(matches!(refused, Err(AuthError::NotWhileImpersonating)), "{refused:?}");
}

/// Between the check of the session and the signature.
#[tokio::test]
async fn a_session_that_ends_meanwhile_gets_none() {
    let (app, tokens) = with_user().await;
    let identity = app.auth.authenticate(&tokens.access).await.unwrap();
    app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    let service = app.auth.service::<ServiceTokensService>().unwrap();
    let refused = service.create(&identity, "billing", ClientAddress::UNKNOWN).await;
    assert!(matches!(refused, Err(AuthError::Unauthenticated)), "{refused:?}");
}
