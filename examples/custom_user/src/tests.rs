//! The host over HTTP, from a registration to a suspension.

use super::{SqlitePool, app};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum_auth_module::testing;
use serde_json::{Value, json};
use sqlx::sqlite::SqlitePoolOptions;
use tower::ServiceExt;

async fn host() -> (Router, SqlitePool) {
    // One connection, because each connection to `:memory:` has its own database.
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    (app(testing::config().build().unwrap(), pool.clone()).await.unwrap(), pool)
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

async fn register(app: &Router, email: &str, newsletter: Value) -> (u16, String) {
    let (password, plan) = ("correct horse", "gold");
    let body = json!({
        "name": "Ada", "email": email, "password": password, "passwordConfirmation": password,
        "newsletter": newsletter, "plan": plan, "mayEnter": false,
    });
    call(app, "POST", "/auth/register", "", &body).await
}

fn token(response: &str) -> String {
    let response: Value = serde_json::from_str(response).unwrap();
    response["accessToken"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_hosts_own_fields_are_filled_by_the_hosts_own_action() {
    let (app, _) = host().await;
    for (email, newsletter) in [("ada@example.com", true), ("bob@example.com", false)] {
        let (status, response) = register(&app, email, newsletter.into()).await;
        assert_eq!(status, 201, "{response}");
        let (_, me) = call(&app, "GET", "/me", &token(&response), &Value::Null).await;
        assert!(me.ends_with(&format!(", plan free, newsletter {newsletter}")), "{me}");
    }
    let (status, response) = register(&app, "eve@example.com", "perhaps".into()).await;
    assert!(status == 422 && response.contains(r#""field":"newsletter""#), "{response}");
}

#[tokio::test]
async fn the_host_reads_times_that_the_library_writes() {
    let (app, _) = host().await;
    let token = token(&register(&app, "ada@example.com", true.into()).await.1);
    let (status, _) =
        call(&app, "POST", "/auth/user/confirm-password", &token, &json!({ "password": "correct horse" }))
            .await;
    assert_eq!(status, 200);
    let status = call(&app, "GET", "/auth/user/confirmed-password-status", &token, &Value::Null).await;
    assert_eq!(status, (200, r#"{"confirmed":true,"methods":["password"]}"#.to_owned()));
}

#[tokio::test]
async fn a_suspended_member_cannot_log_in() {
    let (app, pool) = host().await;
    let token = token(&register(&app, "ada@example.com", true.into()).await.1);
    sqlx::query("UPDATE members SET may_enter = FALSE").execute(&pool).await.unwrap();
    assert_eq!(call(&app, "GET", "/me", &token, &Value::Null).await.0, 401);
    let login = json!({ "email": "ada@example.com", "password": "correct horse" });
    let (status, response) = call(&app, "POST", "/auth/login", "", &login).await;
    assert!(status == 401 && response.contains("invalid_credentials"), "{response}");
}
