//! The SQLite file with the accounts.

use crate::problems::Problems;
use crate::settings::Settings;
use axum::extract::State;
use axum::http::StatusCode;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use std::fmt::Display;
use std::time::Duration;

/// Opens the database, creates it if it is missing, and migrates its tables.
///
/// # Errors
/// If the file cannot be opened or written, or has tables that are not the library's.
pub(crate) async fn open(settings: &Settings) -> Result<SqlitePool, Problems> {
    let in_data_dir = || SqliteConnectOptions::new().filename(settings.data_dir.file("quickstart.db"));
    let options = settings
        .database
        .clone()
        .unwrap_or_else(in_data_dir)
        .create_if_missing(true)
        .foreign_keys(true)
        // Readers do not wait for the writer. Writers wait this long for each other.
        .journal_mode(SqliteJournalMode::Wal)
        .busy_timeout(Duration::from_secs(5))
        // After a 201 the account is on the disk, even if the process is killed or the power fails.
        .synchronous(SqliteSynchronous::Full);
    // Switching to WAL is the only step that does not wait for other processes.
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

/// `GET /healthz`: whether the database responds.
pub(crate) async fn healthz(State(pool): State<SqlitePool>) -> Result<&'static str, StatusCode> {
    match sqlx::query("SELECT 1").execute(&pool).await {
        Ok(_) => Ok("ok\n"),
        Err(error) => {
            tracing::error!(%error, "the database does not respond");
            Err(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}
