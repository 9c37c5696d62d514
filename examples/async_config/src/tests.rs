//! The program with different features in the database and different secrets on the disk.

use super::{Router, SqlitePool, module};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum_auth_module::BoxError;
use sqlx::sqlite::SqlitePoolOptions;
use std::fs;
use std::path::PathBuf;
use tower::ServiceExt;

/// A directory of secrets, removed when the test ends.
struct Secrets(PathBuf);

impl Secrets {
    fn new(test: &str, jwt_secret: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("async-config-{}-{test}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        // Editors end a file with a line feed, which is not part of the secret.
        fs::write(directory.join("AUTH_JWT_SECRET"), format!("{jwt_secret}\n")).unwrap();
        fs::write(directory.join("AUTH_REFRESH_SECRET"), "another one of thirty-two bytes..").unwrap();
        let key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n";
        fs::write(directory.join("AUTH_ENCRYPTION_KEY"), key).unwrap();
        Self(directory)
    }
}

impl Drop for Secrets {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn database(features: &[&str]) -> SqlitePool {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    super::features(&pool).await.unwrap();
    for feature in features {
        sqlx::query("INSERT INTO features VALUES (?)").bind(*feature).execute(&pool).await.unwrap();
    }
    pool
}

async fn host(test: &str, jwt_secret: &str, features: &[&str]) -> Result<Router, BoxError> {
    let secrets = Secrets::new(test, jwt_secret);
    let auth = module(&secrets.0, &database(features).await).await?;
    Ok(Router::new().nest("/auth", auth.router()))
}

/// The status of the response to an empty object.
async fn call(app: &Router, method: &str, path: &str) -> (u16, String) {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let response = app.clone().oneshot(request.body(Body::from("{}")).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 65_536).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

const SECRET: &str = "a secret of thirty-two bytes or so";

#[tokio::test]
async fn only_the_features_of_the_database_are_on() {
    let app = host("features", SECRET, &["registration"]).await.unwrap();
    let unknown = call(&app, "POST", "/auth/nonsense").await;
    assert_eq!(unknown.0, 404);
    assert_eq!(call(&app, "POST", "/auth/register").await.0, 422, "on: it asks for the fields");
    assert_eq!(call(&app, "PUT", "/auth/user/password").await, unknown, "off: as if it were not there");
    assert_eq!(call(&app, "POST", "/auth/login").await.0, 422, "always there");
}

#[tokio::test]
async fn a_feature_outside_of_within_prevents_the_start() {
    let refused = host("outside", SECRET, &["registration", "email-verification"]).await.unwrap_err();
    assert!(refused.to_string().contains("this module is built without email-verification"), "{refused}");
}

#[tokio::test]
async fn an_invalid_secret_prevents_the_start_and_is_not_shown() {
    let refused = host("secrets", "too short", &[]).await.unwrap_err().to_string();
    assert!(refused.contains("AUTH_JWT_SECRET") && !refused.contains("too short"), "{refused}");
}
