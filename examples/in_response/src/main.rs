//! Delivery in the HTTP response (specification §20.2): the raw reset token and the verification data are in the HTTP answer, and whoever
//! called has to take them to the user.
//!
//! **Do not let users reach these routes.** `POST /auth/forgot-password` hands the account of any address to whoever
//! asks, and a user can verify an address that is somebody else's (ASVS 6.4.3). It is right where a server of your own
//! stands between: it calls this one over a network of yours, sends the mail, and passes on everything but the token.
//! That is why this example listens on the loopback interface and should stay there.
//!
//! To run it, set `DATABASE_URL` (`sqlite://accounts.db?mode=rwc`), `AUTH_JWT_SECRET`, `AUTH_REFRESH_SECRET` and
//! `AUTH_ENCRYPTION_KEY`. Name your server in `AUTH_TRUSTED_PROXIES` and have it send `X-Forwarded-For`: otherwise all
//! of your users are one client to the limits.

use axum::Router;
use axum_auth_module::sql::{SqlPasswordResets, SqlUsers};
use axum_auth_module::{AuthConfig, AuthUser, BoxError, InResponse, StandardActions, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::env;
use std::net::{Ipv4Addr, SocketAddr};
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

async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool),
        actions: StandardActions,
        // There is no default: this line is where a reader of the program sees the risk.
        delivery: { PasswordReset: InResponse, EmailVerification: InResponse },
    };
    Ok(Router::new().nest("/auth", auth.router()))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let app = app(AuthConfig::from_env()?, pool).await?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 3000)).await?;
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
