//! The host over HTTP: a module built by hand works like one of the macro.

use super::{FeatureSet, SqlitePool, app};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum_auth_module::feature::Feature;
use axum_auth_module::testing;
use serde_json::{Value, json};
use sqlx::sqlite::SqlitePoolOptions;
use tower::ServiceExt;

const BUILT: [Feature; 3] =
    [Feature::REGISTRATION, Feature::UPDATE_PROFILE_INFORMATION, Feature::TWO_FACTOR_AUTHENTICATION];

async fn host(features: impl Into<FeatureSet>) -> (Router, SqlitePool) {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let config = testing::config().build().unwrap();
    (app(config, pool.clone(), features.into()).await.unwrap(), pool)
}

async fn call(app: &Router, method: &str, path: &str, token: &str, body: &Value) -> (u16, String) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 65_536).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// Registers a user and returns the access token.
async fn register(app: &Router) -> String {
    let body = json!({
        "name": "Ada", "email": "ada@example.com", "password": "correct horse", "passwordConfirmation": "correct horse",
    });
    let (status, response) = call(app, "POST", "/auth/register", "", &body).await;
    assert_eq!(status, 201, "{response}");
    serde_json::from_str::<Value>(&response).unwrap()["accessToken"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_record_mapped_by_hand_is_read_and_written() {
    let (app, pool) = host(BUILT).await;
    let token = register(&app).await;
    assert_eq!(call(&app, "GET", "/me", &token, &Value::Null).await, (200, "1 Ada".to_owned()));

    let profile = json!({ "name": "Ada Lovelace", "email": "ada@example.com" });
    assert_eq!(call(&app, "PUT", "/auth/user/profile-information", &token, &profile).await.0, 200);
    assert_eq!(call(&app, "GET", "/me", &token, &Value::Null).await.1, "1 Ada Lovelace");

    sqlx::query("UPDATE users SET suspended_at = '2026-01-01T00:00:00Z'").execute(&pool).await.unwrap();
    assert_eq!(call(&app, "GET", "/me", &token, &Value::Null).await.0, 401);
}

#[tokio::test]
async fn a_feature_that_is_built_and_not_enabled_has_no_routes() {
    let (app, _) = host([Feature::REGISTRATION]).await;
    let token = register(&app).await;
    let unknown = call(&app, "GET", "/auth/nonsense", &token, &Value::Null).await;
    assert_eq!(unknown.0, 404);
    assert_eq!(call(&app, "GET", "/auth/user/two-factor-qr-code", &token, &Value::Null).await, unknown);
}

#[tokio::test]
async fn a_feature_that_is_not_built_cannot_be_enabled() {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let features = FeatureSet::from([Feature::RESET_PASSWORDS]);
    let host = app(testing::config().build().unwrap(), pool, features).await;
    assert!(host.unwrap_err().to_string().contains("built without reset-passwords"));
}
