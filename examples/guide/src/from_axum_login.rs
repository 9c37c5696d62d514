//! `docs/guide/from-axum-login.md`

#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::sql::{SqlSessions, SqlUsers, Table, migrate_only};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions, auth_module,
};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct User {
    pub id: i64,
    #[auth(name)]
    pub username: String,
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
    auth: AuthModule<User>,
}

pub async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    migrate_only(&pool, Table::WITHOUT_USERS).await?;
    let users = SqlUsers::<User>::new(pool.clone());
    users.check().await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, BROWSER_SESSIONS],
        user_repo: users,
        session_repo: SqlSessions::new(pool),
        actions: StandardActions,
    };
    Ok(Router::new()
        .route("/protected", get(protected))
        .nest("/auth", auth.router())
        .nest("/web/auth", auth.browser_router())
        .with_state(App { auth }))
}

async fn protected(CurrentUser(user): CurrentUser<User>) -> String {
    format!("Hello {}", user.username)
}
