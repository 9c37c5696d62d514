//! A site with notes for browsers. The server renders the pages.

mod account;
mod errors;
mod live;
mod notes;
mod site;

use axum::Router;
use axum::extract::FromRef;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::middleware::map_response;
use axum::response::{Html, Response};
use axum::routing::{get, post};
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions, auth_module,
};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::env;
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
    pool: SqlitePool,
}

/// For everybody.
async fn index(user: Option<CurrentUser<Account>>) -> Html<String> {
    match user {
        Some(user) => site::page(
            &format!("Hello {}", site::escape(&user.name)),
            "<p id=session></p><p><a href=/notes>Your notes</a> <a href=/password>Change the password</a>
             <form method=post action=/logout><button>Log out</button></form>",
        ),
        None => {
            site::page("Welcome", "<p><a href=/login>Log in</a> or <a href=/register>create an account</a>.")
        }
    }
}

async fn security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'",
        ),
    );
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-store"));
    response
}

async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    let notes_table = "CREATE TABLE IF NOT EXISTS notes (user_id TEXT NOT NULL, text TEXT NOT NULL)";
    sqlx::query(notes_table).execute(&pool).await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, UPDATE_PASSWORDS, BROWSER_SESSIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool.clone()),
        actions: StandardActions,
    };
    let pages = Router::new()
        .route("/", get(index))
        .route("/login", get(account::login_page).post(account::log_in))
        .route("/register", get(account::registration_page).post(account::register))
        .route("/logout", post(account::log_out))
        .route("/confirm-password", get(account::confirmation_page).post(account::confirm_password))
        .route("/password", get(account::password_page).post(account::change_password))
        .route("/notes", get(notes::list).post(notes::add))
        .route("/live", get(live::live))
        .route("/session.js", get(async || ([(CONTENT_TYPE, "text/javascript")], include_str!("session.js"))))
        .route("/style.css", get(async || ([(CONTENT_TYPE, "text/css")], include_str!("style.css"))))
        .fallback(errors::not_found)
        .layer(map_response(errors::error_pages));
    Ok(pages
        .nest("/auth", auth.browser_router())
        .layer(map_response(security_headers))
        .with_state(App { auth, pool }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let pool = SqlitePool::connect("sqlite://accounts.db?mode=rwc").await?;
    let app = app(AuthConfig::from_env()?, pool).await?;
    let listener = TcpListener::bind(env::var("LISTEN").unwrap_or("127.0.0.1:3000".to_owned())).await?;
    println!("http://{}", listener.local_addr()?);
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
