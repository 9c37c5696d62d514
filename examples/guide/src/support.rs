//! Requests to a host's router, for the tests of the pages.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use tower::ServiceExt;

/// A database in memory. It has one connection, because each connection to `:memory:` has a database of its own.
pub(crate) async fn database() -> SqlitePool {
    SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap()
}

/// The status and the body of a response; `token` may be empty.
pub(crate) async fn call(app: &Router, method: &str, path: &str, token: &str, body: Value) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let request = match token {
        "" => request,
        token => request.header("authorization", format!("Bearer {token}")),
    };
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    let response = app.clone().oneshot(request.body(body).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8(body.to_vec()).unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// A registration that succeeds, with more fields. Returns the access token.
pub(crate) async fn register(app: &Router, path: &str, email: &str, more: Value) -> String {
    let password = "correct horse";
    let mut body =
        json!({ "name": "Ada", "email": email, "password": password, "passwordConfirmation": password });
    if let Value::Object(more) = more {
        body.as_object_mut().unwrap().extend(more);
    }
    let (status, response) = call(app, "POST", path, "", body).await;
    assert_eq!(status, 201, "{response}");
    response["accessToken"].as_str().unwrap().to_owned()
}

/// A login with its status.
pub(crate) async fn log_in(app: &Router, email: &str, password: &str) -> (u16, Value) {
    call(app, "POST", "/auth/login", "", json!({ "email": email, "password": password })).await
}
