//! Passwords, which bcrypt hashes on tokio's threads for blocking work.

use crate::{Host, Subject, User};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::spawn_blocking;

#[derive(Deserialize)]
pub(crate) struct Credentials {
    email: String,
    password: String,
}

#[derive(Deserialize)]
pub(crate) struct PasswordOnly {
    password: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refresh {
    refresh_token: String,
}

pub(crate) async fn register(
    State(host): State<Arc<Host>>,
    Json(Credentials { email, password }): Json<Credentials>,
) -> Result<(StatusCode, Json<Value>), StatusCode> {
    let cost = host.bcrypt_cost;
    let password = spawn_blocking(move || bcrypt::hash(password, cost)).await;
    let password = password.ok().and_then(Result::ok).ok_or(StatusCode::INTERNAL_SERVER_ERROR)?;
    let mut users = host.users_mut();
    if users.by_email.contains_key(&email) {
        return Err(StatusCode::CONFLICT);
    }
    let id = users.by_id.len() as u64 + 1;
    users.by_email.insert(email.clone(), id);
    users.by_id.insert(id, User { id, email, password, two_factor: None });
    Ok((StatusCode::CREATED, Json(signed_in(&host, id)?)))
}

pub(crate) async fn login(
    State(host): State<Arc<Host>>,
    Json(Credentials { email, password }): Json<Credentials>,
) -> Result<Json<Value>, StatusCode> {
    let user = {
        let users = host.users();
        users.by_email.get(&email).and_then(|id| users.by_id.get(id)).cloned()
    };
    let user = user.ok_or(StatusCode::UNAUTHORIZED)?;
    verify(password, user.password).await?;
    match user.two_factor {
        Some(factor) if factor.confirmed => {
            Ok(Json(json!({ "twoFactor": true, "challengeToken": host.keys.challenge.sign(user.id)? })))
        }
        _ => Ok(Json(signed_in(&host, user.id)?)),
    }
}

/// The tokens are valid until they expire, so there is nothing to end.
pub(crate) async fn logout(Subject(_): Subject) -> Json<Value> {
    Json(json!({ "message": "Logged out." }))
}

pub(crate) async fn refresh(
    State(host): State<Arc<Host>>,
    Json(Refresh { refresh_token }): Json<Refresh>,
) -> Result<Json<Value>, StatusCode> {
    Ok(Json(host.keys.pair(host.keys.refresh.verify(&refresh_token)?)?))
}

pub(crate) async fn confirm_password(
    State(host): State<Arc<Host>>,
    Subject(id): Subject,
    Json(PasswordOnly { password }): Json<PasswordOnly>,
) -> Result<Json<Value>, StatusCode> {
    verify(password, host.user(id)?.password).await?;
    Ok(Json(json!({ "confirmed": true })))
}

/// The response to a login that is complete.
pub(crate) fn signed_in(host: &Host, id: u64) -> Result<Value, StatusCode> {
    let mut response = host.keys.pair(id)?;
    if let Some(fields) = response.as_object_mut() {
        fields.insert("twoFactor".to_owned(), Value::Bool(false));
    }
    Ok(response)
}

async fn verify(password: String, hash: String) -> Result<(), StatusCode> {
    match spawn_blocking(move || bcrypt::verify(password, &hash)).await {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(StatusCode::UNAUTHORIZED),
        _ => Err(StatusCode::INTERNAL_SERVER_ERROR),
    }
}
