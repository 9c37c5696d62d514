//! The host that is written by hand, with axum and jsonwebtoken: users in a map, tokens without sessions and without rotation.
//! It does a fraction of what the library does; every check that it lacks makes it faster.

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::routing::{get, post};
use axum::{Json, Router};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

struct Host {
    users: Mutex<HashMap<u64, User>>,
    access: Key,
    refresh: Key,
}

#[derive(Clone)]
struct User {
    id: u64,
    email: String,
    #[expect(dead_code, reason = "a user has it")]
    password: String,
}

struct Key {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

#[derive(Serialize, Deserialize)]
struct Token {
    sub: String,
    iat: u64,
    exp: u64,
}

impl Key {
    fn new(secret: &[u8]) -> Self {
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
            validation: Validation::new(Algorithm::HS256),
        }
    }

    fn sign(&self, user: u64, lifetime: u64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        let token = Token { sub: user.to_string(), iat: now, exp: now + lifetime };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &token, &self.encoding).expect("a token")
    }

    fn verify(&self, token: &str) -> Result<u64, StatusCode> {
        let token = jsonwebtoken::decode::<Token>(token, &self.decoding, &self.validation);
        let token = token.map_err(|_| StatusCode::UNAUTHORIZED)?;
        token.claims.sub.parse().map_err(|_| StatusCode::UNAUTHORIZED)
    }
}

impl Host {
    fn pair(&self, user: u64) -> Value {
        json!({ "accessToken": self.access.sign(user, 900), "refreshToken": self.refresh.sign(user, 604_800) })
    }
}

/// The id in the access token.
struct Subject(u64);

impl FromRequestParts<Arc<Host>> for Subject {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, host: &Arc<Host>) -> Result<Self, StatusCode> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header.and_then(|value| value.strip_prefix("Bearer ")).ok_or(StatusCode::UNAUTHORIZED)?;
        host.access.verify(token).map(Self)
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
) -> (StatusCode, Json<Value>) {
    let mut users = host.users.lock().expect("no panic");
    let id = users.len() as u64 + 1;
    let password = bcrypt::hash(password, 4).expect("a hash");
    users.insert(id, User { id, email, password });
    (StatusCode::CREATED, Json(host.pair(id)))
}

async fn claims(Subject(id): Subject) -> Json<Value> {
    Json(json!({ "id": id.to_string() }))
}

async fn me(State(host): State<Arc<Host>>, Subject(id): Subject) -> Result<Json<Value>, StatusCode> {
    let user = host.users.lock().expect("no panic").get(&id).cloned().ok_or(StatusCode::UNAUTHORIZED)?;
    Ok(Json(json!({ "id": user.id, "email": user.email })))
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
    Ok(Json(host.pair(host.refresh.verify(&refresh_token)?)))
}

pub(crate) fn router() -> Router {
    // jsonwebtoken chooses by itself only where one backend is compiled in, and a workspace may have both.
    let _already_there = jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER.install_default();
    let host = Host { users: Mutex::default(), access: Key::new(&[1; 32]), refresh: Key::new(&[2; 32]) };
    Router::new()
        .route("/claims", get(claims))
        .route("/me", get(me))
        .route("/auth/register", post(register))
        .route("/auth/user/confirmed-password-status", get(status))
        .route("/auth/refresh", post(refresh))
        .with_state(Arc::new(host))
}
