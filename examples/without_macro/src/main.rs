//! A host without the library's macros: `AuthUser` is implemented by hand, and `AuthModule::builder` builds the module.
//! Each feature is a method with its providers as parameters, so a missing provider does not compile here, either.
//!
//! To run it, set `DATABASE_URL` (`sqlite://accounts.db?mode=rwc`), `AUTH_JWT_SECRET`, `AUTH_REFRESH_SECRET` and
//! `AUTH_ENCRYPTION_KEY`.

mod account;

use account::Account;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::feature::FeatureSet;
use axum_auth_module::sql::SqlUsers;
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions};
use sqlx::SqlitePool;
use std::env;
use std::net::SocketAddr;
use tokio::net::TcpListener;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    full_name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    email_verified_at TEXT,
    two_factor_secret TEXT,
    two_factor_recovery_codes TEXT,
    two_factor_confirmed_at TEXT,
    password_confirmed_at TEXT,
    suspended_at TEXT
) STRICT";

#[derive(Clone)]
struct App {
    auth: AuthModule<Account>,
}

/// With this the extractors find the module in the host's state.
impl FromRef<App> for AuthModule<Account> {
    fn from_ref(app: &App) -> Self {
        app.auth.clone()
    }
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    format!("{} {}", account.id(), account.name())
}

async fn app(config: AuthConfig, pool: SqlitePool, features: FeatureSet) -> Result<Router, BoxError> {
    sqlx::query(TABLE).execute(&pool).await?;
    let auth = AuthModule::builder(config, SqlUsers::<Account>::new(pool))
        .registration(StandardActions)
        .update_profile_information(StandardActions)
        .two_factor_authentication()
        .enabled(features)?
        .build()?;
    Ok(Router::new().route("/me", get(me)).nest("/auth", auth.router()).with_state(App { auth }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let features = env::var("AUTH_FEATURES")?.parse()?;
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let app = app(AuthConfig::from_env()?, pool, features).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
