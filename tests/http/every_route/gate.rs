//! What the host's policy says about a request before it goes on: the place of a captcha (specification §7.6).

use crate::support::answer::Answer;
use crate::support::providers::CAUSE;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, endpoints_here, registration};
use axum::http::HeaderMap;
use axum_auth_module::async_trait;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::endpoint::Endpoint;
use axum_auth_module::policy::{Policy, PolicyError};
use serde_json::json;
use std::sync::{Arc, Mutex};

on_both_routers![
    it_is_asked_before_four_endpoints_with_the_client_and_the_headers,
    a_refusal_is_a_403_with_its_reason_and_does_nothing,
    it_is_asked_after_the_body_and_before_its_fields,
    a_refused_request_counts_towards_no_limit,
    of_several_policies_each_must_allow_it,
    one_that_fails_shows_nothing,
];

/// The header in which clients send the solution.
const HEADER: &str = "x-captcha";

/// Lets requests with the right solution through, and remembers what it was asked.
#[derive(Clone, Default)]
struct Captcha(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Policy<Account> for Captcha {
    async fn allows_request(
        &self,
        endpoint: &Endpoint,
        client: ClientAddress,
        headers: &HeaderMap,
    ) -> Result<(), PolicyError> {
        let solution = headers.get(HEADER).and_then(|value| value.to_str().ok()).unwrap_or("none");
        let asked = format!("{} {} {solution}", endpoint.operation, client.ip().unwrap());
        self.0.lock().unwrap().push(asked);
        match solution {
            "right" => Ok(()),
            "broken" => Err(PolicyError::failed(CAUSE)),
            _ => Err(PolicyError::refused("captcha", "Solve the captcha first.")),
        }
    }
}

impl Captcha {
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

async fn host() -> (App, Captcha) {
    let captcha = Captcha::default();
    let policy = captcha.clone();
    (App::with_everything_and(|config| config, |module| module.policy(policy)).await, captcha)
}

/// The four requests, with what each needs to succeed.
fn calls(app: &App) -> [(&'static str, Call, u16); 4] {
    let address = json!({ "email": EMAIL });
    let credentials = json!({ "email": EMAIL, "password": PASSWORD });
    [
        ("register", app.post("/auth/register").json(&registration(EMAIL)), 201),
        ("login", app.post("/auth/login").json(&credentials), 200),
        ("requestLoginCode", app.post("/auth/login/email").json(&address), 200),
        ("forgotPassword", app.post("/auth/forgot-password").json(&address), 200),
    ]
}

async fn it_is_asked_before_four_endpoints_with_the_client_and_the_headers() {
    let (app, captcha) = host().await;
    for (operation, call, status) in calls(&app) {
        call.header(HEADER, "right").from("192.0.2.7").await.expect(status);
        assert_eq!(captcha.asked(), [format!("{operation} 192.0.2.7 right")]);
    }
    let asking: Vec<_> = endpoints_here().into_iter().filter(|endpoint| endpoint.asks_policy).collect();
    let mut operations: Vec<_> = asking.iter().map(|endpoint| endpoint.operation).collect();
    operations.sort_unstable();
    assert_eq!(operations, ["forgotPassword", "login", "register", "requestLoginCode"]);
    // No other endpoint asks.
    let tokens = app.login_call(EMAIL, PASSWORD).header(HEADER, "right").await.expect(200).tokens();
    captcha.asked();
    for endpoint in endpoints_here().into_iter().filter(|endpoint| !endpoint.asks_policy) {
        super::declarations::call(&app, &endpoint).bearer(&tokens.access).await;
        assert_eq!(captcha.asked(), Vec::<String>::new(), "{}", endpoint.path);
    }
}

fn refused(answer: Answer) {
    let answer = answer.refused(403, "not_allowed");
    assert_eq!(
        (&answer.body["reason"], &answer.body["detail"]),
        (&json!("captcha"), &json!("Solve the captcha first."))
    );
    assert!(!answer.has_credentials());
}

async fn a_refusal_is_a_403_with_its_reason_and_does_nothing() {
    let (app, _) = host().await;
    for (_, call, _) in calls(&app) {
        refused(call.await);
    }
    assert!(app.users.by_email(EMAIL).is_none());
    app.post("/auth/register").json(&registration(EMAIL)).header(HEADER, "right").await.expect(201);
    // Alike for an address with an account and one without.
    for email in [EMAIL, "nobody@example.com"] {
        for path in ["/auth/forgot-password", "/auth/login/email"] {
            refused(app.post(path).json(&json!({ "email": email })).await);
        }
    }
    app.auth.background_work_finished().await;
    assert!(app.outbox.is_empty(), "no mail was sent");
}

async fn it_is_asked_after_the_body_and_before_its_fields() {
    let (app, captcha) = host().await;
    let post = || app.post("/auth/login");
    post().body("text/plain", "x").await.refused(415, "unsupported_media_type");
    post().body("application/json", "x".repeat(70_000)).await.refused(413, "payload_too_large");
    assert_eq!(captcha.asked(), Vec::<String>::new());
    refused(post().body("application/json", "{").await);
    refused(post().json(&json!({})).await);
    post().header(HEADER, "right").json(&json!({})).await.refused(422, "validation_failed");
}

async fn a_refused_request_counts_towards_no_limit() {
    let limits = RateLimits::all(RateLimit::per_seconds(1, 60));
    let captcha = Captcha::default();
    let app = App::with_everything_and(|config| config.limits(limits), |module| module.policy(captcha)).await;
    for _ in 0..5 {
        for (_, call, _) in calls(&app) {
            refused(call.await);
        }
    }
    for (_, call, status) in calls(&app) {
        call.header(HEADER, "right").await.expect(status);
    }
}

async fn of_several_policies_each_must_allow_it() {
    struct Silent;
    impl Policy<Account> for Silent {}
    for first in [true, false] {
        let app = App::with_everything_and(
            |config| config,
            |module| match first {
                true => module.policy((Captcha::default(), Silent)),
                false => module.policy((Silent, Some(Captcha::default()))),
            },
        )
        .await;
        refused(app.login_call(EMAIL, PASSWORD).await);
        app.login_call(EMAIL, PASSWORD).header(HEADER, "right").await.refused(401, "invalid_credentials");
    }
}

async fn one_that_fails_shows_nothing() {
    let (app, _) = host().await;
    for (_, call, _) in calls(&app) {
        let failed = call.header(HEADER, "broken").await.refused(500, "internal_error");
        assert!(!failed.text.contains(CAUSE));
    }
}
