//! The host with the library. Without `DATABASE_URL` everything is in memory; with `sqlite:…` or `postgres://…` users, sessions,
//! attempt counters and used codes are in that database.
//!
//! The limits of attempts are those of every host. Clients of this machine are trusted to name the address that they stand for.

mod account;
#[path = "../../support/environment.rs"]
mod environment;

use account::Account;
use axum::extract::FromRef;
use axum::routing::get;
use axum::{Json, Router};
use axum_auth_module::config::AuthConfig;
use axum_auth_module::repository::{MemorySessions, SessionRepository, UserRepository};
use axum_auth_module::sql::{Database, SqlSessions, SqlStore, SqlUsers, migrate};
use axum_auth_module::store::{EphemeralStore, MemoryStore};
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, BoxError, Claims, CurrentUser, StandardActions, auth_module};
use serde_json::{Value, json};
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::net::SocketAddr;
use std::time::Duration;

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

async fn claims(claims: Claims<Account>) -> Json<Value> {
    Json(json!({ "id": claims.user_id() }))
}

async fn me(CurrentUser(user): CurrentUser<Account>) -> Json<Value> {
    Json(json!({ "id": user.id, "email": user.email }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let auth = match environment::database_url() {
        Some(url) => {
            let database = open(&url).await?;
            migrate(&database).await?;
            module(SqlUsers::new(&database), SqlSessions::new(&database), SqlStore::new(&database))?
        }
        None => module(MemoryUsers::default(), MemorySessions::new(), MemoryStore::new())?,
    };
    let app = Router::new()
        .route("/ping", get(async || "pong"))
        .route("/claims", get(claims))
        .route("/me", get(me))
        .nest("/auth", auth.router())
        .with_state(App { auth });
    let listener = environment::listener().await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

fn module(
    users: impl UserRepository<User = Account>,
    sessions: impl SessionRepository,
    store: impl EphemeralStore,
) -> Result<AuthModule<Account>, BoxError> {
    let config = config(environment::bcrypt_cost()?)?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, TWO_FACTOR_AUTHENTICATION, SESSIONS],
        user_repo: users,
        session_repo: sessions,
        store: store,
        actions: StandardActions,
    })
}

fn config(bcrypt_cost: u32) -> Result<AuthConfig, BoxError> {
    // Costs below 10 exist in tests only; the bench needs them to make a million logins.
    let builder = match bcrypt_cost {
        ..10 => testing::config(),
        10.. => AuthConfig::builder(
            "the secret that signs access tokens",
            "another secret, for refresh tokens",
            "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
        ),
    };
    Ok(builder.bcrypt_cost(bcrypt_cost).trusted_proxies(["127.0.0.1/32".parse()?]).build()?)
}

async fn open(url: &str) -> Result<Database, BoxError> {
    if !url.starts_with("sqlite:") {
        // As in the quickstart, see `sql::Database`.
        let pool = PgPoolOptions::new()
            .max_connections(environment::DATABASE_CONNECTIONS)
            .test_before_acquire(false);
        return Ok(pool.connect(url).await?.into());
    }
    // As in the quickstart.
    let options: SqliteConnectOptions = url.parse()?;
    let options = options
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .busy_timeout(Duration::from_secs(5))
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new().max_connections(environment::DATABASE_CONNECTIONS);
    Ok(pool.connect_with(options).await?.into())
}
