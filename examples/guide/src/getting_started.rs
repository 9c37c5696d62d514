//! `docs/guide/getting-started.md` and `README.md`: their whole host. `tests/guide` runs it, as the page says.

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
    let users = SqlUsers::<Account>::new(pool.clone());
    // Does the table fit the struct? If not, the host does not start, and the error has the SQL to paste.
    users.check().await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS],
        user_repo: users,
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
    // The log: without a subscriber, nobody learns why a response was 500.
    tracing_subscriber::fmt::init();
    let pool = SqlitePool::connect("sqlite://shop.db?mode=rwc").await?;
    let mailer = Mailer::files("outbox", "Shop <no-reply@example.com>").build()?;
    let app = app(AuthConfig::from_env()?, pool, mailer).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("listening on http://{}", listener.local_addr()?);
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, register};
    use axum_auth_module::testing;
    use serde_json::Value;

    #[tokio::test]
    async fn it_serves_a_registration() {
        let config = testing::config().build().unwrap();
        // No mail is sent here, so there is no server.
        let mailer = Mailer::smtp("smtp://localhost", "no-reply@example.com").build().unwrap();
        let app = app(config, database().await, mailer).await.unwrap();
        let token = register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        let (status, hello) = call(&app, "GET", "/me", &token, Value::Null).await;
        assert_eq!((status, hello), (200, "Hello Ada\n".into()));
    }
}
