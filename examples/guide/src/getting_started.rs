//! `docs/guide/getting-started.md`: its whole host. `tests/guide` runs it, as the page says.

use axum::{Router, extract::FromRef, routing::get};
use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions, auth_module,
};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::net::SocketAddr;
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

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    format!("Hello {}\n", account.name)
}

async fn app(config: AuthConfig, pool: SqlitePool, mailer: Mailer) -> Result<Router, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
        delivery: {
            // The page of your front end that the mail leads to.
            PasswordReset: mailer.password_reset("https://example.com/reset#token={token}&email={email}")?,
        },
    };
    Ok(Router::new().route("/me", get(me)).nest("/auth", auth.router()).with_state(App { auth }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().init();
    let pool = SqlitePool::connect("sqlite://shop.db?mode=rwc").await?;
    let mailer = Mailer::files("outbox", "Shop <no-reply@example.com>").build()?;
    let app = app(AuthConfig::from_env()?, pool, mailer).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
