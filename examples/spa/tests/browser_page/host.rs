use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use axum_auth_module::extract::WithBody;
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{
    AuthConfig, AuthError, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions, auth_module,
};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tower_http::services::ServeDir;

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
    pool: SqlitePool,
}

/// For everybody: `None` if nobody is logged in.
async fn greeting(user: Option<CurrentUser<Account>>) -> String {
    match user {
        Some(user) => format!("Hello {}", user.name),
        None => "Please log in.".to_owned(),
    }
}

/// For users: 401 without a session.
async fn notes(
    user: CurrentUser<Account>,
    State(pool): State<SqlitePool>,
) -> Result<Json<Vec<String>>, AuthError> {
    let select = sqlx::query_scalar("SELECT text FROM notes WHERE user_id = ?").bind(&user.id);
    select.fetch_all(&pool).await.map(Json).map_err(AuthError::internal)
}

/// For users: 401 without a session, and 403 if a page of another site sends the request.
async fn add_note(
    State(pool): State<SqlitePool>,
    WithBody(user, Json(text)): WithBody<CurrentUser<Account>, Json<String>>,
) -> Result<StatusCode, AuthError> {
    let insert = sqlx::query("INSERT INTO notes (user_id, text) VALUES (?, ?)").bind(&user.id).bind(text);
    insert.execute(&pool).await.map(|_| StatusCode::NO_CONTENT).map_err(AuthError::internal)
}

async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    let notes_table = "CREATE TABLE IF NOT EXISTS notes (user_id TEXT NOT NULL, text TEXT NOT NULL)";
    sqlx::query(notes_table).execute(&pool).await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, UPDATE_PASSWORDS, SESSIONS, BROWSER_SESSIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool.clone()),
        actions: StandardActions,
    };
    Ok(Router::new()
        .nest("/auth", auth.browser_router())
        .route("/api/greeting", get(greeting))
        .route("/api/notes", get(notes).post(add_note))
        .fallback_service(ServeDir::new("web"))
        .with_state(App { auth, pool }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init();
    let pool = SqlitePool::connect("sqlite://accounts.db?mode=rwc").await?;
    let app = app(AuthConfig::from_env()?, pool).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
