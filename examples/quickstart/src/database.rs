//! The SQLite file with the accounts.

use crate::problems::Problems;
use crate::settings::Settings;
use axum::extract::State;
use axum::http::StatusCode;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use std::fmt::Display;
use std::time::Duration;

/// Opens the database, makes it if it is not there, and brings its tables up to date.
///
/// # Errors
/// When the file cannot be opened or written, or its tables are not the library's.
pub(crate) async fn open(settings: &Settings) -> Result<SqlitePool, Problems> {
    let in_data_dir = || SqliteConnectOptions::new().filename(settings.data_dir.file("quickstart.db"));
    let options = settings
        .database
        .clone()
        .unwrap_or_else(in_data_dir)
        .create_if_missing(true)
        .foreign_keys(true)
        // Readers and the one writer do not wait for each other; writers wait for their turn this long.
        .journal_mode(SqliteJournalMode::Wal)
        .busy_timeout(Duration::from_secs(5))
        // An account that was answered with 201 is on the disk, whatever happens to the process or the power.
        .synchronous(SqliteSynchronous::Full);
    // Going over to WAL is the one step that does not wait for another process.
    let _alone = settings.data_dir.lock().map_err(|error| cannot("lock the data directory", error))?;
    let pool = SqlitePool::connect_with(options).await.map_err(|error| cannot("open the database", error))?;
    axum_auth_module::sql::migrate(&pool)
        .await
        .map_err(|error| cannot("bring the tables up to date", error))?;
    Ok(pool)
}

fn cannot(what: &str, error: impl Display) -> Problems {
    Problems::one("DATABASE_URL", format!("cannot {what}: {error}"))
}

/// `GET /healthz`: whether the database answers.
pub(crate) async fn healthz(State(pool): State<SqlitePool>) -> Result<&'static str, StatusCode> {
    match sqlx::query("SELECT 1").execute(&pool).await {
        Ok(_) => Ok("ok\n"),
        Err(error) => {
            tracing::error!(%error, "the database does not answer");
            Err(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}
