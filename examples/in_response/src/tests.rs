//! The requests of the server between users and this host.

use super::app;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum_auth_module::testing;
use serde_json::{Value, json};
use sqlx::sqlite::SqlitePoolOptions;
use tower::ServiceExt;

async fn host() -> Router {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    app(testing::config().build().unwrap(), pool).await.unwrap()
}

async fn call(app: &Router, method: &str, path: &str, token: &str, body: Value) -> (u16, Value) {
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
    (status, serde_json::from_slice(&body).unwrap())
}

/// Registers a user and returns the access token.
async fn register(app: &Router) -> String {
    let body = json!({
        "name": "Ada", "email": "ada@example.com", "password": "correct horse", "passwordConfirmation": "correct horse",
    });
    let (status, response) = call(app, "POST", "/auth/register", "", body).await;
    assert_eq!(status, 201, "{response}");
    response["accessToken"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_reset_token_is_in_the_response_and_resets_the_password() {
    let app = host().await;
    register(&app).await;
    let email = json!({ "email": "ada@example.com" });
    let (status, response) = call(&app, "POST", "/auth/forgot-password", "", email).await;
    assert_eq!(status, 200, "{response}");
    let body = json!({
        "email": "ada@example.com", "token": response["token"],
        "password": "battery staple", "passwordConfirmation": "battery staple",
    });
    assert_eq!(call(&app, "POST", "/auth/reset-password", "", body).await.0, 200);
    let login = json!({ "email": "ada@example.com", "password": "battery staple" });
    assert_eq!(call(&app, "POST", "/auth/login", "", login).await.0, 200);
}

#[tokio::test]
async fn an_address_without_an_account_gets_a_token_that_is_invalid() {
    let app = host().await;
    register(&app).await;
    let forgot =
        async |email: &str| call(&app, "POST", "/auth/forgot-password", "", json!({ "email": email })).await;
    let ((status, known), (unknown_status, unknown)) =
        (forgot("ada@example.com").await, forgot("eve@example.com").await);
    let length = |response: &Value| response["token"].as_str().unwrap().len();
    assert_eq!(
        (status, &known["message"], length(&known)),
        (unknown_status, &unknown["message"], length(&unknown))
    );
    let body = json!({
        "email": "eve@example.com", "token": unknown["token"],
        "password": "battery staple", "passwordConfirmation": "battery staple",
    });
    let (status, response) = call(&app, "POST", "/auth/reset-password", "", body).await;
    assert_eq!((status, response["code"].as_str()), (422, Some("invalid_reset_token")));
}

#[tokio::test]
async fn the_verification_data_is_in_the_response_and_verifies_the_address() {
    let app = host().await;
    let token = register(&app).await;
    let notify =
        async || call(&app, "POST", "/auth/email/verification-notification", &token, json!({})).await;
    let (status, data) = notify().await;
    assert_eq!(status, 200, "{data}");
    let text = |field: &str| data[field].as_str().unwrap();
    let (id, hash, signature, expires) = (text("id"), text("hash"), text("signature"), &data["expires"]);
    let link = format!("/auth/email/verify/{id}/{hash}?signature={signature}&expires={expires}");
    assert_eq!(call(&app, "GET", &link, &token, Value::Null).await.0, 200);
    let (status, verified) = notify().await;
    assert_eq!(status, 200);
    assert!(verified.get("hash").is_none(), "nothing to verify any more: {verified}");
}
