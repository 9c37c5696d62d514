//! The host that is written by hand, with axum and jsonwebtoken: users in a map, tokens without sessions and without rotation.
//! It does a fraction of what the library does; every check that it lacks makes it faster.

#[path = "../load/hosts/by_hand/src/tokens.rs"]
mod tokens;

use axum::extract::{FromRequestParts, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokens::Keys;

struct Host {
    users: Mutex<HashMap<u64, User>>,
    /// The users of API tokens, by their hashes.
    api_tokens: Mutex<HashMap<[u8; 32], u64>>,
    keys: Keys,
}

#[derive(Clone)]
struct User {
    id: u64,
    email: String,
    #[expect(dead_code, reason = "a user has it")]
    password: String,
}

/// The id in the access token.
struct Subject(u64);

impl FromRequestParts<Arc<Host>> for Subject {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, host: &Arc<Host>) -> Result<Self, StatusCode> {
        host.keys.user_of(parts).map(Self)
    }
}

#[derive(Deserialize)]
struct Registration {
    email: String,
    password: String,
}

async fn register(
    State(host): State<Arc<Host>>,
    Json(Registration { email, password }): Json<Registration>,
) -> Result<(StatusCode, Json<Value>), StatusCode> {
    let mut users = host.users.lock().expect("no panic");
    let id = users.len() as u64 + 1;
    let password = bcrypt::hash(password, 4).expect("a hash");
    users.insert(id, User { id, email, password });
    Ok((StatusCode::CREATED, Json(host.keys.pair(id)?)))
}

async fn claims(Subject(id): Subject) -> Json<Value> {
    Json(json!({ "id": id.to_string() }))
}

async fn me(State(host): State<Arc<Host>>, Subject(id): Subject) -> Result<Json<Value>, StatusCode> {
    let user = host.users.lock().expect("no panic").get(&id).cloned().ok_or(StatusCode::UNAUTHORIZED)?;
    Ok(Json(json!({ "id": user.id, "email": user.email })))
}

async fn create_api_token(State(host): State<Arc<Host>>, Subject(id): Subject) -> Json<Value> {
    let token = format!("pat_{}", "k".repeat(61));
    host.api_tokens.lock().expect("no panic").insert(Sha256::digest(&token).into(), id);
    Json(json!({ "token": token }))
}

async fn api(State(host): State<Arc<Host>>, headers: HeaderMap) -> Result<Json<Value>, StatusCode> {
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header.and_then(|value| value.strip_prefix("Bearer ")).ok_or(StatusCode::UNAUTHORIZED)?;
    let hash: [u8; 32] = Sha256::digest(token).into();
    let id = host.api_tokens.lock().expect("no panic").get(&hash).copied();
    me(State(host), Subject(id.ok_or(StatusCode::UNAUTHORIZED)?)).await
}

/// Like the library's route, with the user's record.
async fn status(State(host): State<Arc<Host>>, Subject(id): Subject) -> Result<Json<Value>, StatusCode> {
    let user = host.users.lock().expect("no panic").get(&id).cloned().ok_or(StatusCode::UNAUTHORIZED)?;
    Ok(Json(json!({ "confirmed": user.id == 0 })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Refresh {
    refresh_token: String,
}

async fn refresh(
    State(host): State<Arc<Host>>,
    Json(Refresh { refresh_token }): Json<Refresh>,
) -> Result<Json<Value>, StatusCode> {
    Ok(Json(host.keys.pair(host.keys.refresh.verify(&refresh_token)?)?))
}

pub(crate) fn router() -> Router {
    let host = Host { users: Mutex::default(), api_tokens: Mutex::default(), keys: Keys::new() };
    Router::new()
        .route("/claims", get(claims))
        .route("/me", get(me))
        .route("/api", get(api))
        .route("/verified", post(async || Json(json!({}))))
        .route("/auth/register", post(register))
        .route("/auth/user/confirm-password", post(async || Json(json!({}))))
        .route("/auth/user/api-tokens", post(create_api_token))
        .route("/auth/user/confirmed-password-status", get(status))
        .route("/auth/refresh", post(refresh))
        .with_state(Arc::new(host))
}
