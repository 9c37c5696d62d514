//! One instance of the host. All its state is in PostgreSQL and Redis, so it can be killed at any moment, and any number
//! of instances can run.

mod account;
mod outbox;
mod serve;
mod settings;

pub use outbox::file as reset_token_file;
pub use serve::signals;
pub use settings::variables;

use account::Account;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::sql::{self, Database, SqlPasswordResets, SqlSessions, SqlUsers};
use axum_auth_module::store::RedisStore;
use axum_auth_module::{AuthModule, BoxError, StandardActions, auth_module};
use serve::Health;
use settings::Settings;
use sqlx::postgres::PgPoolOptions;
use std::io;
use std::time::Duration;
use tokio::net::TcpListener;

/// How long an instance waits for the database when it starts.
const PATIENCE: Duration = Duration::from_secs(60);

/// The state of the routes.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
    health: Health,
}

/// Starts an instance and serves until a signal arrives.
///
/// # Errors
/// If the configuration is invalid, or the database cannot be reached or migrated.
pub async fn run() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_writer(io::stderr).with_ansi(false).init();
    let settings = Settings::from_env()?;
    let pool = PgPoolOptions::new()
        // Both instances together must stay below `max_connections` of the server, during a restart three of them.
        .max_connections(16)
        .min_connections(2)
        // How long a request waits for a free connection. The adapters stop waiting after 1.5 seconds in any case.
        .acquire_timeout(Duration::from_secs(1))
        // A connection that the server has closed is replaced before it is used.
        .test_before_acquire(true)
        .connect_lazy(&settings.database_url)?;
    let database = Database::from(pool.clone());
    migrate(&database).await?;

    let auth = auth_module! {
        config: settings.auth,
        features: [
            REGISTRATION,
            RESET_PASSWORDS,
            UPDATE_PROFILE_INFORMATION,
            UPDATE_PASSWORDS,
            TWO_FACTOR_AUTHENTICATION,
            SESSIONS,
        ],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(&database),
        session_repo: SqlSessions::new(&database),
        store: RedisStore::connect(&settings.redis_url)?.prefix(&settings.redis_prefix),
        actions: StandardActions,
        delivery: settings.outbox,
        deployment: many,
    };
    let health = Health::new(database);
    let app = Router::new()
        .route("/me", get(account::me))
        .route("/healthz", get(serve::healthz))
        .nest("/auth", auth.router())
        .with_state(App { auth: auth.clone(), health: health.clone() });

    let listener = TcpListener::bind(settings.address).await?;
    serve::serve(listener, app, &auth, health).await?;
    pool.close().await;
    Ok(())
}

/// Creates or updates the tables. All instances do this when they start: the first one holds a lock meanwhile.
async fn migrate(database: &Database) -> Result<(), BoxError> {
    let reachable = async {
        while let Err(error) = database.ping().await {
            tracing::warn!(%error, "waiting for the database");
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    };
    tokio::time::timeout(PATIENCE, reachable).await.map_err(|_elapsed| "the database cannot be reached")?;
    Ok(sql::migrate(database).await?)
}
