//! The quickstart: a complete host with the authentication module under `/auth` and a SQLite file.
//!
//! It starts without configuration: it creates the data directory, the database and the secrets, and writes mails to
//! files. Environment variables change this; see `settings.rs`.

mod account;
mod data_dir;
mod database;
mod mail;
mod problems;
mod secrets;
mod server;
mod settings;

use account::Account;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use problems::Problems;
use settings::Settings;
use sqlx::SqlitePool;
use std::io::{self, Write};
use std::process::ExitCode;

/// The state of the routes.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
    pool: SqlitePool,
}

#[tokio::main]
async fn main() -> ExitCode {
    // Standard output has one line, for scripts: the server's address. Everything else goes to standard error.
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            // `eprintln!` would panic if standard error is closed; the exit code is enough then.
            let _ = writeln!(io::stderr(), "{problems}");
            ExitCode::FAILURE
        }
    }
}

/// Starts the host and serves until a signal arrives.
async fn run() -> Result<(), Problems> {
    let settings = Settings::from_env().await?;
    let pool = database::open(&settings).await?;
    let auth = auth_module! {
        config: settings.auth,
        features: enabled(settings.features) within [
            REGISTRATION,
            RESET_PASSWORDS,
            EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION,
            UPDATE_PASSWORDS,
            TWO_FACTOR_AUTHENTICATION,
            SESSIONS,
        ],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool.clone()),
        actions: StandardActions,
        delivery: {
            PasswordReset: settings.mails.password_reset,
            EmailVerification: settings.mails.email_verification,
        },
    };
    tracing::info!(features = %auth.features(), "the authentication module is under /auth");

    let app = Router::new()
        .route("/me", get(account::me))
        .route("/healthz", get(database::healthz))
        .nest("/auth", auth.router())
        .with_state(App { auth, pool: pool.clone() });

    let ended = server::serve(settings.listener, app, pool).await;
    ended.map_err(|error| Problems::one("the server", error.to_string()))
}
