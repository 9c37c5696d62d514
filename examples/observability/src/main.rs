//! A host that operators can look into: logs as JSON, an id for each request, metrics for Prometheus, and a dashboard for Grafana
//! ([`dashboard.json`](../dashboard.json), to import). What the library tells is in docs/observability.md.
//!
//! The metrics are served on a port of their own, which must not be reachable from the internet:
//!
//! ```sh
//! export AUTH_JWT_SECRET=$(openssl rand -base64 32) AUTH_REFRESH_SECRET=$(openssl rand -base64 32) \
//!   AUTH_ENCRYPTION_KEY=$(openssl rand -base64 32) DATABASE_URL='sqlite://accounts.db?mode=rwc'
//! cargo run -p observability
//! curl -i http://127.0.0.1:3000/auth/user/sessions
//! curl http://127.0.0.1:9000/metrics
//! ```

use axum::extract::{MatchedPath, Request};
use axum::routing::get;
use axum::{Json, Router};
use axum_auth_module::sql::{SqlAuditLog, SqlSessions, SqlUsers};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions, auth_module,
};
use chrono::{DateTime, Utc};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use sqlx::SqlitePool;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use std::{env, io};
use tokio::net::TcpListener;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::trace::{DefaultOnResponse, TraceLayer};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Span};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};

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

/// Each line is a JSON object, with the spans that it is in. `filter` has the form of `RUST_LOG`:
/// `info,axum_auth_module=debug`.
fn logs<W>(filter: &str, writer: W) -> Result<impl tracing::Subscriber + Send + Sync + use<W>, BoxError>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let filter: Targets = filter.parse()?;
    let lines = tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(writer);
    Ok(tracing_subscriber::registry().with(lines.with_filter(filter)))
}

/// Prometheus gets histograms, not summaries: only those can be added up over instances. A password takes a quarter of a
/// second, a row of SQLite a fraction of a millisecond.
fn prometheus() -> Result<PrometheusBuilder, BoxError> {
    let seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
    Ok(PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &seconds)?)
}

/// The module. The metrics need a recorder that is installed before.
async fn module(config: AuthConfig, pool: SqlitePool) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, UPDATE_PASSWORDS, TWO_FACTOR_AUTHENTICATION, SESSIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        actions: StandardActions,
        // A row of the audit log has the id of its request, too.
        events: SqlAuditLog::new(pool),
    })
}

/// The routes for users.
fn app(auth: &AuthModule<Account>) -> Router {
    let me = async |CurrentUser(user): CurrentUser<Account>| Json(user.email);
    let routes = Router::new().route("/me", get(me)).with_state(auth.clone());
    // The last layer is the outermost: a request gets its id, then its span, and the response carries the id.
    routes
        .nest("/auth", auth.router())
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_response(DefaultOnResponse::new().level(Level::INFO)),
        )
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
}

/// The span of a request: with the path of its route, because the path and the query of a request can hold ids and links.
fn span(request: &Request) -> Span {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let id = request.headers().get("x-request-id").and_then(|id| id.to_str().ok());
    tracing::info_span!("request", method = %request.method(), route, request_id = id)
}

/// The routes for Prometheus.
fn for_operators(metrics: PrometheusHandle) -> Router {
    Router::new().route("/metrics", get(async move || metrics.render()))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let filter = env::var("RUST_LOG").unwrap_or_else(|_unset| LevelFilter::INFO.to_string());
    tracing::subscriber::set_global_default(logs(&filter, io::stdout)?)?;
    let metrics = prometheus()?.install_recorder()?;
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let auth = module(AuthConfig::from_env()?, pool).await?;

    // Without this, the values of histograms stay in memory until somebody asks for them.
    let upkeep = metrics.clone();
    tokio::spawn(async move {
        let mut interval = tokio::time::interval(Duration::from_secs(5));
        loop {
            interval.tick().await;
            upkeep.run_upkeep();
        }
    });

    let users = TcpListener::bind((Ipv4Addr::LOCALHOST, 3000)).await?;
    let operators = TcpListener::bind((Ipv4Addr::LOCALHOST, 9000)).await?;
    tokio::try_join!(
        axum::serve(users, app(&auth).into_make_service_with_connect_info::<SocketAddr>()),
        axum::serve(operators, for_operators(metrics)),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
