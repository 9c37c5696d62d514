//! The host with axum-login, and tower-sessions over sqlx on the PostgreSQL at `DATABASE_URL`, as their documentation shows it.

mod backend;
#[path = "../../support/environment.rs"]
mod environment;

use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use axum_login::{AuthManagerLayerBuilder, login_required};
use backend::{Backend, Credentials};
use serde_json::{Value, json};
use sqlx::postgres::PgPoolOptions;
use std::error::Error;
use time::Duration;
use tower_sessions::{Expiry, SessionManagerLayer};
use tower_sessions_sqlx_store::PostgresStore;

type AuthSession = axum_login::AuthSession<Backend>;

async fn register(
    session: AuthSession,
    Json(credentials): Json<Credentials>,
) -> Result<(StatusCode, Json<Value>), StatusCode> {
    session.backend.register(credentials).await.map_err(|_| StatusCode::CONFLICT)?;
    Ok((StatusCode::CREATED, Json(json!({ "twoFactor": false }))))
}

async fn login(
    mut session: AuthSession,
    Json(credentials): Json<Credentials>,
) -> Result<Json<Value>, StatusCode> {
    let user = session.authenticate(credentials).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let user = user.ok_or(StatusCode::UNAUTHORIZED)?;
    session.login(&user).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(Json(json!({ "twoFactor": false })))
}

async fn logout(mut session: AuthSession) -> Result<Json<Value>, StatusCode> {
    session.logout().await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(Json(json!({ "message": "Logged out." })))
}

async fn claims(session: AuthSession) -> Result<Json<Value>, StatusCode> {
    let user = session.user.ok_or(StatusCode::UNAUTHORIZED)?;
    Ok(Json(json!({ "id": user.id.to_string() })))
}

async fn me(session: AuthSession) -> Result<Json<Value>, StatusCode> {
    let user = session.user.ok_or(StatusCode::UNAUTHORIZED)?;
    Ok(Json(json!({ "id": user.id.to_string(), "email": user.email })))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let url = environment::database_url().ok_or("DATABASE_URL is missing: this host needs PostgreSQL")?;
    let pool = PgPoolOptions::new().max_connections(environment::DATABASE_CONNECTIONS).connect(&url).await?;
    let store = PostgresStore::new(pool.clone());
    store.migrate().await?;
    let backend = Backend::new(pool, environment::bcrypt_cost()?).await?;
    let sessions = SessionManagerLayer::new(store)
        .with_secure(false)
        .with_expiry(Expiry::OnInactivity(Duration::days(1)));
    let auth = AuthManagerLayerBuilder::new(backend, sessions).build();
    let app = Router::new()
        .route("/claims", get(claims))
        .route("/me", get(me))
        .route_layer(login_required!(Backend))
        .route("/auth/register", post(register))
        .route("/auth/login", post(login))
        .route("/auth/logout", post(logout))
        .layer(auth)
        .route("/ping", get(async || "pong"));
    axum::serve(environment::listener().await?, app).await?;
    Ok(())
}
