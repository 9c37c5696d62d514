//! USERNAMES: a name that users log in with and choose.

mod in_handlers;
mod logins;
mod newcomers;
mod profiles;
mod registrations;
mod required;

use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::{App, Call, EMAIL, PASSWORD, Tokens, registration};
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::services::UsernamesService;
use axum_auth_module::values::Username;
use serde_json::{Value, json};
use std::time::Duration;

/// Ada's user name.
const ADA: &str = "ada.l";
const EVE: &str = "eve@example.com";

/// What looks like Ada's user name and is another text: in another script, with what nobody sees, with spaces, and what a database
/// cannot store.
const SIMILAR: [&str; 10] = [
    "\u{430}da.l",
    "\u{ff41}da.l",
    "ada\u{2024}l",
    "ada.l\u{200b}",
    "ada.\u{3b9}",
    "\u{e1}da.l",
    " ada.l",
    "ada.l ",
    "ada.l\0",
    "ada%",
];

/// So many attempts are never reached.
fn without_limits(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.limits(RateLimits::all(RateLimit::new(10_000, Duration::from_secs(60))))
}

/// A host without limits.
async fn host() -> App {
    App::with_everything_and(without_limits, |module| module).await
}

/// A host with everything but USERNAMES.
async fn host_without_the_feature() -> App {
    let others = FeatureSet::all().difference([Feature::USERNAMES].into());
    App::with_everything_and(without_limits, |module| module.enabled(others).unwrap()).await
}

fn register_as(app: &App, email: &str, username: impl Into<Value>) -> Call {
    let mut body = registration(email);
    body["username"] = username.into();
    app.post("/auth/register").json(&body)
}

/// Registers Ada with her user name.
async fn with_ada(app: &App) -> Tokens {
    register_as(app, EMAIL, ADA).await.expect(201).tokens()
}

fn log_in(app: &App, username: &str, password: &str) -> Call {
    app.post("/auth/login").json(&json!({ "username": username, "password": password }))
}

async fn update(app: &App, tokens: &Tokens, username: impl Into<Value>) -> Answer {
    let body = json!({ "name": "Ada", "email": EMAIL, "username": username.into() });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await
}

/// Whether somebody with this user name and the usual password can log in.
async fn is_known(app: &App, username: &str) -> bool {
    let answer = log_in(app, username, PASSWORD).await;
    assert!([200, 401].contains(&answer.status), "{}", answer.text);
    answer.status == 200
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<UsernamesService>(Feature::USERNAMES).await;
}

#[tokio::test]
async fn a_host_asks_which_user_names_are_free() {
    let app = host().await;
    let tokens = with_ada(&app).await;
    let service = app.auth.service::<UsernamesService>().unwrap();
    let is_free = async |text: &str| service.is_free(&Username::parse(text).unwrap()).await.unwrap();
    assert!(is_free("countess").await);
    for taken in ["ada.l", "ADA.L", "admin"] {
        assert!(!is_free(taken).await, "{taken}");
    }
    update(&app, &tokens, "countess").await.expect(200);
    assert!(is_free(ADA).await && !is_free("countess").await);
}
