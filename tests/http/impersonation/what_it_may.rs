//! What an impersonated session may do: see, and log out.

use super::{ACTOR, id, impersonate, impersonated};
use crate::every_route::declarations::call;
use crate::support::answer::Answer;
use crate::support::routers::on_both_routers;
use crate::support::{EMAIL, PASSWORD, endpoints_here};
use axum_auth_module::AuthError;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::endpoint::{Credential, Endpoint, EndpointMethod};
use axum_auth_module::services::UpdatePasswordsService;
use serde_json::json;

on_both_routers![
    every_route_that_changes_an_account_or_asks_for_a_confirmation_refuses_it,
    it_is_refused_before_anything_else_is_checked,
    it_proves_nothing_and_confirms_nothing,
    the_hosts_routes_see_the_actor,
    a_service_refuses_it_as_its_route_does,
    what_was_confirmed_by_the_user_counts_for_nobody_else,
];

/// The rule, from the method, the path and the credential (specification §33.2).
fn must_be_refused(endpoint: &Endpoint) -> bool {
    let needs_a_session = !matches!(endpoint.credential, Credential::NotRequired | Credential::Optional);
    let is_harmless = ["/logout", "/email/verification-notification"].contains(&endpoint.path);
    let changes = endpoint.method != EndpointMethod::Get && !is_harmless;
    let asks_for_a_confirmation = matches!(
        endpoint.credential,
        Credential::RecentConfirmation | Credential::ConfirmationWithoutPassword
    );
    needs_a_session && (changes || asks_for_a_confirmation)
}

async fn every_route_that_changes_an_account_or_asks_for_a_confirmation_refuses_it() {
    let (app, own, _) = impersonated().await;
    app.confirm_password(&own.access).await;
    let stored = async || {
        let mut stored = app.auth.admin().export(&id(&app)).await.unwrap();
        stored.as_object_mut().unwrap().remove("sessions");
        stored
    };
    let before = (stored().await, app.users.by_email(EMAIL).unwrap().password);
    let (mut refused, mut open) = (0, Vec::new());
    for endpoint in endpoints_here() {
        // One of the routes ends the session.
        let acting = impersonate(&app, id(&app)).await;
        let answer = call(&app, &endpoint).bearer(&acting.access).await;
        let place = format!("{} {}", endpoint.method.as_str(), endpoint.path);
        if must_be_refused(&endpoint) {
            answer.refused(403, "not_while_impersonating");
            refused += 1;
        } else {
            assert_ne!(answer.code(), "not_while_impersonating", "{place}");
            open.push(place);
        }
    }
    assert!(refused > 30, "{refused}");
    for place in ["POST /logout", "GET /user/sessions", "GET /user/sign-in-methods", "GET /user/api-tokens"] {
        assert!(open.iter().any(|open| open == place), "{place}");
    }
    assert_eq!((stored().await, app.users.by_email(EMAIL).unwrap().password), before);
}

/// Before the verified address, the fields and the content type.
async fn it_is_refused_before_anything_else_is_checked() {
    let (app, _, acting) = impersonated().await;
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    for path in ["/auth/user/passkeys", "/auth/user/api-tokens", "/auth/user/confirm-password"] {
        let post = || app.post(path).bearer(&acting.access);
        post().body("text/plain", "x".repeat(70_000)).await.refused(403, "not_while_impersonating");
        post().json(&json!({})).await.refused(403, "not_while_impersonating");
    }
    let profile = json!({ "name": "Mallory", "email": "mallory@example.com" });
    let refused = app.put("/auth/user/profile-information").bearer(&acting.access).json(&profile).await;
    refused.refused(403, "not_while_impersonating");
    let right = json!({ "password": PASSWORD });
    let refused = app.post("/auth/user/confirm-password").bearer(&acting.access).json(&right).await;
    refused.refused(403, "not_while_impersonating");
}

fn amr(answer: &Answer) -> &serde_json::Value {
    &answer.body["authenticatedBy"]
}

async fn it_proves_nothing_and_confirms_nothing() {
    let (app, _, acting) = impersonated().await;
    app.me(&acting.access).await.expect(200);
    app.get("/verified").bearer(&acting.access).await.expect(200);
    for path in ["/assured/aal1", "/assured/aal1/300", "/assured/aal2", "/assured/phr"] {
        let refused = app.get(path).bearer(&acting.access).await;
        let refused = refused.refused(401, "insufficient_user_authentication");
        assert_eq!(refused.body["methods"], json!([]), "{path}: nobody can prove anything here");
    }
    app.get("/confirmed").bearer(&acting.access).await.refused(403, "not_while_impersonating");
    let status = app.get("/auth/user/confirmed-password-status").bearer(&acting.access).await.expect(200);
    assert_eq!(status.body["confirmed"], false);
    let claims = app.auth.authenticate(&app.login(EMAIL).await.access).await;
    assert!(app.is_for_browsers() || claims.is_ok_and(|who| who.session.actor().is_none()));
    if app.is_for_browsers() {
        let session = app.get("/auth/session").bearer(&acting.access).await.expect(200);
        assert_eq!((amr(&session), &session.body["confirmed"]), (&json!([]), &json!(false)));
        assert_eq!(session.body["actor"], json!({ "sub": ACTOR }));
    }
}

async fn the_hosts_routes_see_the_actor() {
    let (app, own, acting) = impersonated().await;
    let actor = async |access: &str| app.get("/actor").bearer(access).await.expect(200).text;
    assert_eq!(actor(&acting.access).await, ACTOR);
    assert_eq!(actor(&own.access).await, "");
    let renewed = app.renew(&acting).await;
    assert_eq!(actor(&renewed.access).await, ACTOR);
}

async fn a_service_refuses_it_as_its_route_does() {
    let (app, _, acting) = impersonated().await;
    if app.is_for_browsers() {
        return;
    }
    let who = app.auth.authenticate(&acting.access).await.unwrap();
    let nobody = ClientAddress::UNKNOWN;
    let service = app.auth.service::<UpdatePasswordsService>().unwrap();
    let refused = service.remove(&who, nobody).await.err();
    assert!(matches!(refused, Some(AuthError::NotWhileImpersonating)), "{refused:?}");
    for operation in crate::every_route::acting::confirmed_operations() {
        let refused = crate::every_route::acting::call_service(&app, operation, &who).await;
        assert!(matches!(refused, Err(AuthError::NotWhileImpersonating)), "{operation}: {refused:?}");
    }
    let profile = crate::every_route::acting::call_service(&app, "updateProfileInformation", &who).await;
    assert!(matches!(profile, Err(AuthError::NotWhileImpersonating)), "{profile:?}");
}

/// The record has a recent confirmation, and so has the user's own session.
async fn what_was_confirmed_by_the_user_counts_for_nobody_else() {
    let (app, own, acting) = impersonated().await;
    app.confirm_password(&own.access).await;
    app.get("/confirmed").bearer(&own.access).await.expect(200);
    app.get("/confirmed").bearer(&acting.access).await.refused(403, "not_while_impersonating");
    let codes = app.get("/auth/user/two-factor-recovery-codes").bearer(&acting.access).await;
    codes.refused(403, "not_while_impersonating");
}
