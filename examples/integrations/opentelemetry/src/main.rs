//! Traces of requests in OpenTelemetry, with the spans of the module in them. It shows:
//!
//! - a span for each request, named by its route, which continues the trace of the caller ([`request_span`]);
//! - the module's spans below it: which repository, password or action a request has waited for (docs/observability.md);
//! - an export over OTLP in batches, which ends with the last span before the program ends ([`telemetry`], [`serve`]);
//! - no address, password or token in any attribute ([`tests`]).
//!
//! To run it, in `examples/integrations`, with a collector that accepts OTLP over HTTP at port 4318, such as Jaeger:
//!
//! ```sh
//! export AUTH_JWT_SECRET=$(openssl rand -base64 32) AUTH_REFRESH_SECRET=$(openssl rand -base64 32) \
//!   AUTH_ENCRYPTION_KEY=$(openssl rand -base64 32) DATABASE_URL='sqlite://accounts.db?mode=rwc'
//! export OTEL_SERVICE_NAME=shop OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318
//! cargo run -p opentelemetry_host
//! curl http://127.0.0.1:3000/auth/login -H 'content-type: application/json' \
//!   -d '{"email": "ada@example.com", "password": "correct horse battery"}' \
//!   -H 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
//! ```
//!
//! `ADDRESS` is where it listens, `127.0.0.1:3000` by default. The variables `OTEL_…` are those of OpenTelemetry's specification: what
//! they do not say is as in the SDK, for example `OTEL_TRACES_SAMPLER` and `OTEL_BSP_SCHEDULE_DELAY`.

mod request_span;
mod serve;
mod telemetry;

use axum::routing::get;
use axum::{Json, Router, middleware};
use axum_auth_module::delivery::{Delivers, PasswordResetMessage};
use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions, auth_module,
};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::{env, io};
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

async fn module(
    config: AuthConfig,
    pool: SqlitePool,
    reset_mail: impl Delivers<PasswordResetMessage>,
) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, SESSIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
        delivery: { PasswordReset: reset_mail },
    })
}

/// The layer comes after all routes: it knows the whole path of a route, also of one of the module, and there is a span for each request.
fn router(auth: &AuthModule<Account>) -> Router {
    let me = async |CurrentUser(account): CurrentUser<Account>| Json(account.email);
    let routes = Router::new().route("/me", get(me)).with_state(auth.clone());
    routes.nest("/auth", auth.router()).layer(middleware::from_fn(request_span::in_a_span))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let traces = telemetry::provider(telemetry::otlp()?);
    tracing::subscriber::set_global_default(telemetry::subscriber(&traces, io::stdout))?;
    let served = run().await;
    // Whether the host has ended well or not: what it has done until then is exported.
    let ended = tokio::task::spawn_blocking(move || traces.shutdown()).await?;
    served?;
    Ok(ended?)
}

/// Serves until a signal arrives.
async fn run() -> Result<(), BoxError> {
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let mailer = Mailer::files("outbox", "Shop <no-reply@example.com>").build()?;
    let reset_mail = mailer.password_reset("https://example.com/reset#token={token}&email={email}")?;
    let auth = module(AuthConfig::from_env()?, pool, reset_mail).await?;
    let address = env::var("ADDRESS").unwrap_or_else(|_unset| "127.0.0.1:3000".to_owned());
    let listener = TcpListener::bind(&address).await?;
    let told_to_end = serve::signals()?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    serve::until(told_to_end, listener, router(&auth), &auth).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
