//! A host on edition 2021.

use auth::testing::{self, MemoryUsers};
use auth::{auth_module, AuthModule, AuthUser, CurrentUser, StandardActions};
use axum::body::{to_bytes, Body};
use axum::extract::FromRef;
use axum::http::Request;
use axum::routing::get;
use axum::Router;
use serde_json::{json, Value};
use std::time::SystemTime;
use tower::ServiceExt;

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: u32,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

type Error = Box<dyn std::error::Error>;

fn app() -> Result<Router, Error> {
    let auth = auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: StandardActions },
    };
    let me = get(|CurrentUser(account): CurrentUser<Account>| async { account.email });
    Ok(Router::new().route("/me", me).nest("/auth", auth.router()).with_state(App { auth }))
}

async fn send(app: &Router, request: Request<Body>) -> Result<(u16, String), Error> {
    let answer = app.clone().oneshot(request).await?;
    let status = answer.status().as_u16();
    Ok((status, String::from_utf8(to_bytes(answer.into_body(), 65_536).await?.to_vec())?))
}

async fn post(app: &Router, path: &str, body: &Value) -> Result<(u16, Value), Error> {
    let request =
        Request::post(path).header("content-type", "application/json").body(body.to_string().into())?;
    let (status, text) = send(app, request).await?;
    Ok((status, serde_json::from_str(&text)?))
}

/// Registers, logs in, and asks who it is. An error says what went wrong.
async fn log_in() -> Result<(), Error> {
    let app = app()?;
    let (email, password) = ("ada@example.com", "correct horse battery");
    let registration =
        json!({ "name": "Ada", "email": email, "password": password, "passwordConfirmation": password });
    let (registered, _) = post(&app, "/auth/register", &registration).await?;
    let (logged_in, tokens) =
        post(&app, "/auth/login", &json!({ "email": email, "password": password })).await?;
    let token = tokens.get("accessToken").and_then(Value::as_str).ok_or("a login without a token")?;
    let me = Request::get("/me").header("authorization", format!("Bearer {token}")).body(Body::empty())?;
    match (registered, logged_in, send(&app, me).await?) {
        (201, 200, (200, who)) if who == email => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    log_in().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_user_can_log_in() {
        log_in().await.unwrap();
    }
}
