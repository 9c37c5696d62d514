//! Delivery in the HTTP response (specification §20.2): the response contains the raw reset token or the verification
//! data, and the caller must deliver them to the user.
//!
//! **Do not let users reach these routes.** With `POST /auth/forgot-password` a caller can take over any account, and a
//! user can verify the address of another person (ASVS 6.4.3). Use it only behind a server of your own, which calls this
//! one over a private network, sends the mail, and removes the token from the response. This example therefore listens
//! on the loopback interface.
//!
//! To run it, set `DATABASE_URL` (`sqlite://accounts.db?mode=rwc`), `AUTH_JWT_SECRET`, `AUTH_REFRESH_SECRET` and
//! `AUTH_ENCRYPTION_KEY`. Put your server's address into `AUTH_TRUSTED_PROXIES` and let it send `X-Forwarded-For`;
//! otherwise the limits count all of your users as one client. At its start it prints what `AuthModule::posture` lists.

use axum::Router;
use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlUsers};
use axum_auth_module::{AuthConfig, AuthUser, BoxError, InResponse, StandardActions, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::env;
use std::io::{self, Write};
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
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool),
        actions: StandardActions,
        // There is no default, so that the risk is visible in the source.
        delivery: { PasswordReset: InResponse, EmailVerification: InResponse },
    };
    // What this module leaves open, with the requirements of OWASP ASVS: above all, that tokens are in responses.
    for deviation in auth.posture() {
        writeln!(io::stderr(), "{deviation}")?;
    }
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
