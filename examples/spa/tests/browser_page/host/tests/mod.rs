//! The page's host, and its other snippets, which belong to the same application.

mod mails;
mod options;
mod pages;
mod sibling_origin;
mod websocket;

use super::{Account, App, app};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::request::Builder;
use axum::http::{HeaderMap, Request, StatusCode};
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{StandardActions, auth_module, testing};
use serde_json::json;
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use tower::ServiceExt;

async fn database() -> SqlitePool {
    SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap()
}

/// The state of the page's host, with another configuration.
async fn state(config: AuthConfigBuilder) -> App {
    let pool = database().await;
    // It creates the tables.
    drop(app(testing::config().build().unwrap(), pool.clone()).await.unwrap());
    let auth = async || -> Result<_, axum_auth_module::config::ConfigError> {
        Ok(auth_module! {
            config: config.build()?,
            features: [REGISTRATION, TWO_FACTOR_AUTHENTICATION, SESSIONS, BROWSER_SESSIONS],
            user_repo: SqlUsers::<Account>::new(pool.clone()),
            session_repo: SqlSessions::new(pool.clone()),
            store: SqlStore::new(pool.clone()),
            actions: StandardActions,
        })
    };
    let auth = auth().await.unwrap();
    App { auth, pool }
}

async fn send(app: &Router, request: Request<Body>) -> (StatusCode, HeaderMap, String) {
    let response = app.clone().oneshot(request).await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, headers, String::from_utf8(body.to_vec()).unwrap())
}

/// A request as a page of the same origin sends it.
fn request(method: &str, path: &str) -> Builder {
    Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost")
        .header("sec-fetch-site", "same-origin")
}

fn json_body(request: Builder, body: &serde_json::Value) -> Request<Body> {
    request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap()
}

fn registration() -> serde_json::Value {
    json!({
        "name": "Ada", "email": "ada@example.com", "password": "correct horse", "passwordConfirmation": "correct horse",
    })
}

/// What the browser sends after this response.
fn cookie(headers: &HeaderMap) -> String {
    let cookie = headers["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

async fn registered(app: &Router) -> String {
    let (status, headers, body) =
        send(app, json_body(request("POST", "/auth/register"), &registration())).await;
    assert_eq!(status, 201, "{body}");
    assert!(!body.contains("Token"), "{body}");
    cookie(&headers)
}

#[tokio::test]
async fn the_host_serves_users_with_a_cookie() {
    let app = app(testing::config().build().unwrap(), database().await).await.unwrap();
    let cookie = registered(&app).await;
    let greeting = |request: Builder| request.body(Body::empty()).unwrap();
    assert_eq!(send(&app, greeting(request("GET", "/api/greeting"))).await.2, "Please log in.");
    let user = request("GET", "/api/greeting").header("cookie", &cookie);
    assert_eq!(send(&app, greeting(user)).await.2, "Hello Ada");

    let add = |request: Builder| json_body(request.header("cookie", &cookie), &json!("buy milk"));
    assert_eq!(send(&app, add(request("POST", "/api/notes"))).await.0, 204);
    let elsewhere = Request::post("/api/notes").header("sec-fetch-site", "cross-site");
    assert_eq!(send(&app, add(elsewhere)).await.0, 403);
    assert_eq!(send(&app, json_body(request("POST", "/api/notes"), &json!("x"))).await.0, 401);
    let notes = request("GET", "/api/notes").header("cookie", &cookie).body(Body::empty()).unwrap();
    assert_eq!(send(&app, notes).await.2, r#"["buy milk"]"#);
}
