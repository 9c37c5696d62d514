//! API tokens are accepted nowhere else: a leaked one makes no other token, adds no passkey and changes no password.

use super::{as_program, token, with_user};
use crate::every_route::declarations::call;
use crate::support::endpoints_here;
use crate::support::routers::on_both_routers;
use axum_auth_module::endpoint::Credential;
use serde_json::json;

on_both_routers![every_route_of_the_module_refuses_them, every_other_extractor_refuses_them];

async fn every_route_of_the_module_refuses_them() {
    let (app, tokens) = with_user().await;
    let token = token(&app, &tokens, &["demo:read", "demo:write", "demo:other"]).await;
    let needs_session = |credential| !matches!(credential, Credential::NotRequired | Credential::Optional);
    let mut refused = 0;
    for endpoint in endpoints_here() {
        let response = as_program(call(&app, &endpoint), &token).json(&json!({})).await;
        if needs_session(endpoint.credential_on(app.router)) {
            response.refused(401, "unauthenticated");
            refused += 1;
        } else {
            // No route without a credential takes the token for anything.
            let nothing = call(&app, &endpoint).json(&json!({})).await;
            assert_eq!(response.status, nothing.status, "{}", endpoint.path);
        }
    }
    assert!(refused > 30, "{refused}");
    if !app.is_for_browsers() {
        assert!(app.auth.authenticate(&token).await.is_err());
        let body = json!({ "refreshToken": token });
        app.post("/auth/refresh").json(&body).await.refused(401, "invalid_refresh_token");
    }
}

async fn every_other_extractor_refuses_them() {
    let (app, tokens) = with_user().await;
    let token = token(&app, &tokens, &["demo:read", "demo:write", "demo:other"]).await;
    for path in ["/me", "/verified", "/confirmed", "/claims", "/assured/aal1", "/assured/aal2/300"] {
        as_program(app.get(path), &token).await.refused(401, "unauthenticated");
    }
    as_program(app.post("/note"), &token).body("text/plain", "x").await.refused(401, "unauthenticated");
    assert_eq!(as_program(app.get("/assured/optional"), &token).await.expect(200).text, "false");
}
