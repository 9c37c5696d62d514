//! The host that is written by hand, with axum, jsonwebtoken, bcrypt and totp-rs: users in a map, tokens without sessions and
//! without rotation, no limits. It does a fraction of what the library does; every check that it lacks makes it faster.
//!
//! Its paths and bodies are those of the library.

#[path = "../../support/environment.rs"]
mod environment;
mod login;
mod tokens;
mod two_factor;

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokens::Keys;

struct Host {
    users: RwLock<Users>,
    keys: Keys,
    bcrypt_cost: u32,
}

#[derive(Default)]
struct Users {
    by_id: HashMap<u64, User>,
    by_email: HashMap<String, u64>,
}

#[derive(Clone)]
struct User {
    id: u64,
    email: String,
    password: String,
    two_factor: Option<two_factor::SecondFactor>,
}

impl Host {
    fn users(&self) -> RwLockReadGuard<'_, Users> {
        self.users.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn users_mut(&self) -> RwLockWriteGuard<'_, Users> {
        self.users.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn user(&self, id: u64) -> Result<User, StatusCode> {
        self.users().by_id.get(&id).cloned().ok_or(StatusCode::UNAUTHORIZED)
    }
}

/// The id in the access token.
struct Subject(u64);

impl FromRequestParts<Arc<Host>> for Subject {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, host: &Arc<Host>) -> Result<Self, StatusCode> {
        host.keys.user_of(parts).map(Self)
    }
}

async fn claims(Subject(id): Subject) -> Json<Value> {
    Json(json!({ "id": id.to_string() }))
}

async fn me(State(host): State<Arc<Host>>, Subject(id): Subject) -> Result<Json<Value>, StatusCode> {
    let user = host.user(id)?;
    Ok(Json(json!({ "id": user.id.to_string(), "email": user.email })))
}

/// Like the library's route, with the user's record. No password is confirmed after the login.
async fn status(State(host): State<Arc<Host>>, Subject(id): Subject) -> Result<Json<Value>, StatusCode> {
    let user = host.user(id)?;
    Ok(Json(json!({ "confirmed": user.id == 0 })))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let host = Host { users: RwLock::default(), keys: Keys::new(), bcrypt_cost: environment::bcrypt_cost()? };
    let auth = Router::new()
        .route("/register", post(login::register))
        .route("/login", post(login::login))
        .route("/logout", post(login::logout))
        .route("/refresh", post(login::refresh))
        .route("/user/confirmed-password-status", get(status))
        .route("/user/confirm-password", post(login::confirm_password))
        .route("/user/two-factor-authentication", post(two_factor::enable))
        .route("/user/two-factor-secret-key", get(two_factor::secret_key))
        .route("/user/confirmed-two-factor-authentication", post(two_factor::confirm))
        .route("/two-factor-challenge", post(two_factor::challenge));
    let app = Router::new()
        .route("/ping", get(async || "pong"))
        .route("/claims", get(claims))
        .route("/me", get(me))
        .nest("/auth", auth)
        .with_state(Arc::new(host));
    axum::serve(environment::listener().await?, app).await?;
    Ok(())
}
