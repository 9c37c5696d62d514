//! `docs/guide/sessions-and-stores.md`

use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;

pub async fn one_instance(config: AuthConfig, pool: SqlitePool) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, SESSIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
    })
}

use axum_auth_module::store::RedisStore;

pub async fn many_instances(
    config: AuthConfig,
    pool: SqlitePool,
    redis_url: &str,
) -> Result<AuthModule<Account>, BoxError> {
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, SESSIONS],
        deployment: many,
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool),
        store: RedisStore::connect(redis_url)?,
        actions: StandardActions,
    })
}

use axum_auth_module::Claims;

/// A route that is called often: it needs the id, and does not read the user.
async fn poll(claims: Claims<Account>) -> String {
    claims.user_id().to_owned()
}

use axum_auth_module::AuthError;

/// An administrator ends whatever this user has.
pub async fn sign_out_everywhere(auth: &AuthModule<Account>, user: &String) -> Result<u64, AuthError> {
    for session in auth.admin().sessions_of(user).await? {
        tracing::info!(last_use = ?session.last_used_at, user_agent = session.user_agent, "ends");
    }
    auth.admin().end_all_sessions(user).await
}

use std::time::Duration;

/// Deletes what has expired, also while nobody sends a request.
pub async fn clean_up(auth: AuthModule<Account>) {
    let mut hourly = tokio::time::interval(Duration::from_secs(3600));
    loop {
        hourly.tick().await;
        while matches!(auth.maintain().await, Ok(1000..)) {}
    }
}

use axum::{Router, extract::FromRef, routing::get};
use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
}

#[derive(Clone, FromRef)]
pub struct App {
    auth: AuthModule<Account>,
}

pub fn app(auth: AuthModule<Account>) -> Router {
    Router::new().route("/poll", get(poll)).nest("/auth", auth.router()).with_state(App { auth })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, register};
    use axum_auth_module::testing;
    use serde_json::Value;

    #[tokio::test]
    async fn a_session_outlives_a_restart_until_an_administrator_ends_it() {
        let pool = database().await;
        let start = async || one_instance(testing::config().build().unwrap(), pool.clone()).await.unwrap();
        let token = register(&app(start().await), "/auth/register", "ada@example.com", Value::Null).await;
        let auth = start().await;
        let app = app(auth.clone());
        let (status, user) = call(&app, "GET", "/poll", &token, Value::Null).await;
        assert_eq!(status, 200, "{user}");
        let ended = sign_out_everywhere(&auth, &user.as_str().unwrap().to_owned()).await.unwrap();
        assert_eq!(ended, 1);
        assert_eq!(call(&app, "GET", "/poll", &token, Value::Null).await.0, 401);
    }
}
