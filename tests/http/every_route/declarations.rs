//! Every endpoint does what its declaration says (specification §6.4, §9.1).

use crate::support::answer::Answer;
use crate::support::provider::path_with_provider;
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL, endpoints_here, every_endpoint};
use axum_auth_module::config::Limit;
use axum_auth_module::endpoint::{Credential, Endpoint, EndpointBody};
use axum_auth_module::error::ErrorCode;
use axum_auth_module::events::EventName;
use serde_json::json;
use std::collections::BTreeSet;

on_both_routers![
    an_endpoint_requires_the_credential_that_it_declares,
    an_endpoint_asks_for_the_fields_that_it_declares,
    an_endpoint_without_a_body_reads_none,
];

/// Endpoints that clients rely on. They are never removed.
const FROZEN: [(&str, &str); 20] = [
    ("POST", "/login"),
    ("POST", "/refresh"),
    ("POST", "/logout"),
    ("POST", "/user/confirm-password"),
    ("GET", "/user/confirmed-password-status"),
    ("POST", "/register"),
    ("POST", "/forgot-password"),
    ("POST", "/reset-password"),
    ("GET", "/email/verify/{id}/{hash}"),
    ("POST", "/email/verification-notification"),
    ("PUT", "/user/profile-information"),
    ("PUT", "/user/password"),
    ("POST", "/two-factor-challenge"),
    ("POST", "/user/two-factor-authentication"),
    ("DELETE", "/user/two-factor-authentication"),
    ("POST", "/user/confirmed-two-factor-authentication"),
    ("GET", "/user/two-factor-qr-code"),
    ("GET", "/user/two-factor-secret-key"),
    ("GET", "/user/two-factor-recovery-codes"),
    ("POST", "/user/two-factor-recovery-codes"),
];

pub(crate) fn call(app: &App, endpoint: &Endpoint) -> Call {
    app.request(endpoint.method.as_str().parse().unwrap(), &path(endpoint))
}

/// A path of the endpoint.
pub(super) fn path(endpoint: &Endpoint) -> String {
    path_with_provider(&format!("/auth{}", endpoint.path)).replace("{id}", "1").replace("{hash}", "x")
}

/// A host with a user who has a verified address and has confirmed the password, and the access token of the session.
async fn confirmed() -> (App, String) {
    let app = App::with_everything().await;
    let access = app.register(EMAIL).await.access;
    app.verify_address(EMAIL);
    app.confirm_password(&access).await;
    (app, access)
}

/// The fields that a validation problem names.
fn fields_of(response: &Answer) -> BTreeSet<String> {
    let errors = response.body["errors"].as_array().cloned().unwrap_or_default();
    errors.iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect()
}

async fn an_endpoint_requires_the_credential_that_it_declares() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    app.verify_address(EMAIL);
    for endpoint in endpoints_here() {
        // One of the endpoints ends the session. Of too many sessions the oldest one ends.
        app.advance(1);
        let access = app.login(EMAIL).await.access;
        let (without, with) = (call(&app, &endpoint).await, call(&app, &endpoint).bearer(&access).await);
        let place = format!("{} {}", endpoint.method.as_str(), endpoint.path);
        match endpoint.credential_on(app.router) {
            // It is about a challenge token, and not about a session.
            Credential::NotRequired if endpoint.operation == "pendingTwoFactorChallenge" => {
                assert_eq!(without.code(), "invalid_challenge_token", "{place}");
            }
            Credential::NotRequired => assert_ne!(without.status, 401, "{place}"),
            Credential::Optional => assert_eq!(without.status, 200, "{place}"),
            Credential::Session | Credential::ConfirmationWithoutPassword => {
                assert_eq!((without.status, without.code()), (401, "unauthenticated"), "{place}");
                assert_ne!(with.code(), "password_confirmation_required", "{place}");
            }
            Credential::RecentConfirmation => {
                assert_eq!((without.status, without.code()), (401, "unauthenticated"), "{place}");
                assert_eq!((with.status, with.code()), (403, "password_confirmation_required"), "{place}");
            }
            other => panic!("{place} requires {other:?}, which this test does not know"),
        }
    }
}

async fn an_endpoint_asks_for_the_fields_that_it_declares() {
    for endpoint in endpoints_here() {
        let (EndpointBody::Required(fields) | EndpointBody::Extensible(fields)) = endpoint.body else {
            continue;
        };
        let (app, access) = confirmed().await;
        let fields = || fields.iter().filter(|field| field.is_on(app.router));
        let required = fields().filter(|field| field.is_required).map(|field| field.name.to_owned());
        let required: BTreeSet<_> = required.collect();
        // A browser has a challenge token in a cookie.
        if fields().next().is_none() {
            continue;
        }
        let response = call(&app, &endpoint).bearer(&access).json(&json!({})).await;
        assert_eq!((response.status, response.code()), (422, "validation_failed"), "{}", endpoint.path);
        let reported = fields_of(&response);
        assert!(reported.is_superset(&required), "{}: {reported:?}, not {required:?}", endpoint.path);
        let declared: BTreeSet<_> = fields().map(|field| field.name.to_owned()).collect();
        assert!(declared.is_superset(&reported), "{} asks for {reported:?}", endpoint.path);
    }
}

async fn an_endpoint_without_a_body_reads_none() {
    for endpoint in endpoints_here().iter().filter(|endpoint| matches!(endpoint.body, EndpointBody::None)) {
        let (app, access) = confirmed().await;
        let response = call(&app, endpoint).bearer(&access).body("text/plain", "x").await;
        assert!(![400, 413, 415].contains(&response.status), "{}: {}", endpoint.path, response.text);
    }
}

#[test]
fn every_operation_and_every_body_has_its_name_alone() {
    let endpoints = every_endpoint();
    let operations: BTreeSet<_> = endpoints.iter().map(|endpoint| endpoint.operation).collect();
    assert_eq!(operations.len(), endpoints.len(), "{operations:?}");
    let responses: Vec<_> = endpoints.iter().flat_map(|endpoint| endpoint.responses).collect();
    for response in &responses {
        let namesakes = responses.iter().filter(|other| other.name == response.name);
        for other in namesakes {
            let contents = [response, other].map(|response| format!("{:?}", response.content));
            assert_eq!(contents[0], contents[1], "two bodies are called {}", response.name);
        }
    }
}

#[test]
fn every_limit_event_and_error_code_belongs_to_an_endpoint() {
    let endpoints = every_endpoint();
    // The extractors `ApiUser` and `UserOrApi` count it.
    for limit in Limit::ALL.iter().filter(|limit| **limit != Limit::ApiTokenClient) {
        assert!(endpoints.iter().any(|endpoint| endpoint.limits.contains(limit)), "{limit:?}");
    }
    // Functions for administrators emit these.
    let of_administrators = [EventName::Unlocked, EventName::ImpersonationStarted, EventName::InvitationSent];
    for event in EventName::ALL.iter().filter(|event| !of_administrators.contains(event)) {
        assert!(endpoints.iter().any(|endpoint| endpoint.events().any(|own| own == *event)), "{event:?}");
    }
    // The first is of paths that no endpoint has, the second of the extractor `VerifiedUser`, the third of pages of other
    // origins, the fourth of the extractor `Assured`, and the last two of those that accept API tokens.
    let others = [
        ErrorCode::NotFound,
        ErrorCode::EmailNotVerified,
        ErrorCode::CrossOriginRequest,
        ErrorCode::InsufficientUserAuthentication,
        ErrorCode::InvalidApiToken,
        ErrorCode::InsufficientScope,
    ];
    for code in ErrorCode::ALL.iter().filter(|code| !others.contains(code)) {
        assert!(endpoints.iter().any(|endpoint| endpoint.errors().any(|own| own == *code)), "{code:?}");
    }
}

#[test]
fn every_endpoint_is_described_and_declared_once() {
    let endpoints = every_endpoint();
    let places: BTreeSet<_> =
        endpoints.iter().map(|endpoint| (endpoint.path, endpoint.method.as_str())).collect();
    assert_eq!(places.len(), endpoints.len());
    for (method, path) in FROZEN {
        assert!(places.contains(&(path, method)), "{method} {path} is lost");
    }
    for endpoint in &endpoints {
        assert!(endpoint.summary.ends_with('.') && endpoint.path.starts_with('/'), "{endpoint:?}");
    }
}

/// The fuzzer runs in a turn of the rota alone.
#[test]
fn the_fuzzer_sends_bodies_to_every_endpoint_that_takes_one() {
    let routes = include_str!("../../fuzz/bodies.rs");
    let with_body =
        every_endpoint().into_iter().filter(|endpoint| !matches!(endpoint.body, EndpointBody::None));
    let names = with_body.map(|endpoint| format!("\"{}\", \"{}\")", endpoint.method.as_str(), endpoint.path));
    let missing: Vec<_> = names.filter(|name| !routes.contains(name)).collect();
    assert!(missing.is_empty(), "missing in `ROUTES` of tests/fuzz/bodies.rs: {missing:?}");
}
