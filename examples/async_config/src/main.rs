//! Asynchronous configuration (specification §4.2): secrets and features are awaited at start-up. Here the secrets are
//! files in a directory, as orchestrators mount them, and the features are in the database, where an administrator
//! changes them. A client of a vault or a settings server would be awaited in the same places.
//!
//! To run it, set `DATABASE_URL` (`sqlite://accounts.db?mode=rwc`) and `SECRETS_DIR`, a directory with the files
//! `AUTH_JWT_SECRET`, `AUTH_REFRESH_SECRET` and `AUTH_ENCRYPTION_KEY`.

use axum::Router;
use axum_auth_module::feature::FeatureSet;
use axum_auth_module::sql::SqlUsers;
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, BoxError, StandardActions, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::collections::HashMap;
use std::env;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::Path;
use tokio::fs;
use tokio::net::TcpListener;

#[derive(Clone, AuthUser, sqlx::FromRow)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}

/// The configuration, from one file for each of the library's variables. A missing file leaves the variable unset.
async fn load(secrets_dir: &Path) -> Result<AuthConfig, BoxError> {
    let mut values = HashMap::new();
    for (name, _meaning) in AuthConfig::environment_variables() {
        match fs::read_to_string(secrets_dir.join(name)).await {
            Ok(text) => drop(values.insert(name, text.trim_end().to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{name} cannot be read: {error}").into()),
        }
    }
    Ok(AuthConfig::from_variables(|name| values.get(name).cloned())?)
}

/// The features that are switched on in the database.
async fn features(pool: &SqlitePool) -> Result<FeatureSet, BoxError> {
    sqlx::query("CREATE TABLE IF NOT EXISTS features (value TEXT PRIMARY KEY) STRICT").execute(pool).await?;
    let values: Vec<String> = sqlx::query_scalar("SELECT value FROM features").fetch_all(pool).await?;
    Ok(values.join(",").parse()?)
}

/// The module. The compiler knows the features that can be enabled; the database knows those that are.
async fn module(secrets_dir: &Path, pool: &SqlitePool) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(pool).await?;
    Ok(auth_module! {
        config: load(secrets_dir).await?,
        features: enabled(features(pool).await?) within [REGISTRATION, UPDATE_PASSWORDS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        actions: StandardActions,
    })
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let auth = module(Path::new(&env::var("SECRETS_DIR")?), &pool).await?;
    let app: Router = Router::new().nest("/auth", auth.router());
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
