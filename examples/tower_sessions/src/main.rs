//! Data of a visit, such as a shopping basket, in a store of [tower-sessions]: it belongs to a session of the library and ends with it.
//!
//! ```sh
//! export AUTH_JWT_SECRET=$(openssl rand -base64 32) AUTH_REFRESH_SECRET=$(openssl rand -base64 32) \
//!   AUTH_ENCRYPTION_KEY=$(openssl rand -base64 32) DATABASE_URL='sqlite://visits.db?mode=rwc'
//! cargo run -p tower_sessions_host
//! TOKEN=$(curl -s http://127.0.0.1:3000/auth/register --json '{"name": "Ada", "email": "ada@example.com",
//!   "password": "correct horse battery", "passwordConfirmation": "correct horse battery"}' | sed 's/.*"accessToken":"\([^"]*\).*/\1/')
//! curl http://127.0.0.1:3000/basket --json '{"article": "tea", "number": 2}' -H "Authorization: Bearer $TOKEN"
//! ```
//!
//! | file | purpose |
//! |---|---|
//! | `visit.rs` | the data of a session: its key, its end, and what happens if a request writes while the session ends |
//! | `sessions.rs` | the repository of the sessions, which learns of every end |
//! | `basket.rs` | the handlers |
//!
//! **No `SessionManagerLayer`.** It would give each visitor a second cookie, with another lifetime: after a logout the next user of
//! this browser would have the basket. It must not serve this store in any case: its cookie holds the key of the data, and here the key is the
//! id of the library's session, which is no secret.
//!
//! # Several instances
//!
//! This host is one process, whose data is in memory (`MemoryStore`). With several, the data and what `visit.rs` knows of it must be in a
//! place that all of them reach: a table of yours with the columns `session_id`, `user_id`, `data` and `expires_at`, behind a
//! `SessionStore` of yours, which has three methods. [`Visits::settle_all`] is then one statement, which deletes the rows whose session is
//! not in `auth_sessions`. The stores for Redis and SQL that are published today are for tower-sessions 0.14, and those for SQL need sqlx
//! 0.8.
//!
//! [tower-sessions]: https://docs.rs/tower-sessions

mod basket;
mod sessions;
mod visit;

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::repository::SessionRepository;
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, BoxError, StandardActions, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::env;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tower_sessions::{MemoryStore, SessionStore};
use visit::Visits;

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
    visits: Visits,
}

impl App {
    /// The sessions are in `sessions`, and their data in `store`.
    async fn new(
        config: AuthConfig,
        pool: SqlitePool,
        sessions: impl SessionRepository,
        store: impl SessionStore,
    ) -> Result<Self, BoxError> {
        axum_auth_module::sql::migrate(&pool).await?;
        let visits = Visits::new(sessions, store);
        let auth = auth_module! {
            config: config,
            features: [REGISTRATION, UPDATE_PASSWORDS, SESSIONS, BROWSER_SESSIONS],
            user_repo: SqlUsers::<Account>::new(pool.clone()),
            session_repo: visits.clone(),
            store: SqlStore::new(pool),
            actions: StandardActions,
        };
        Ok(Self { auth, visits })
    }

    fn routes(self) -> Router {
        Router::new()
            .nest("/auth", self.auth.router())
            .nest("/web/auth", self.auth.browser_router())
            .route("/basket", get(basket::show).post(basket::add).delete(basket::empty))
            .with_state(self)
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init();
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let sessions = SqlSessions::new(pool.clone());
    let app = App::new(AuthConfig::from_env()?, pool, sessions, MemoryStore::default()).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.routes().into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
