//! What each of these hosts is driven through: register, log in, ask who it is.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;

pub(crate) type Error = Box<dyn std::error::Error>;

/// Registers, logs in, and asks who it is. An error says what went wrong.
pub(crate) async fn log_in(app: Router) -> Result<(), Error> {
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
