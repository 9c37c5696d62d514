//! `/api/notes`: the notes of the current user, the protected resource of this host.

use crate::App;
use crate::account::{Account, PERSONAL};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, HeaderName};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::error::{AuthError, FieldErrors};
use axum_auth_module::extract::{Assured, WithBody};
use axum_auth_module::{ConfirmedUser, CurrentUser};
use serde::{Deserialize, Serialize};
use sqlx::SqlitePool;
use std::time::Duration;

const LONGEST: usize = 500;

#[derive(Serialize, sqlx::FromRow)]
struct Note {
    id: i64,
    text: String,
}

#[derive(Deserialize)]
struct NewNote {
    text: String,
}

pub(crate) async fn create_table(pool: &SqlitePool) -> sqlx::Result<()> {
    let sql = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, text TEXT NOT NULL)";
    sqlx::query(sql).execute(pool).await.map(drop)
}

/// What an export requires: two factors, proven within the last five minutes. Somebody who finds an open session must not take
/// all notes away at once.
struct Export;

impl Assurance for Export {
    const LEVEL: Level = Level::TwoFactors;
    const MAX_AGE: Option<Duration> = Some(Duration::from_secs(300));
}

/// The browser stores the response as this file.
const AS_FILE: (HeaderName, &str) = (CONTENT_DISPOSITION, "attachment; filename=\"notes.json\"");

/// GET and POST require a session, DELETE also that the password was confirmed recently, and the export more than that. Errors
/// have the form of the module's errors, so the page treats them alike.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/", get(list).post(add).delete(delete_all)).route("/export", get(export))
}

async fn list(
    CurrentUser(account): CurrentUser<Account>,
    State(pool): State<SqlitePool>,
) -> Result<impl IntoResponse, AuthError> {
    let notes = sqlx::query_as("SELECT id, text FROM notes WHERE user_id = ? ORDER BY id DESC LIMIT 100");
    let notes: Vec<Note> = notes.bind(account.id).fetch_all(&pool).await.map_err(AuthError::internal)?;
    Ok(([PERSONAL], Json(notes)))
}

async fn add(
    State(pool): State<SqlitePool>,
    WithBody(CurrentUser(account), Json(NewNote { text })): WithBody<CurrentUser<Account>, Json<NewNote>>,
) -> Result<(StatusCode, Json<Note>), AuthError> {
    let invalid =
        |code: &'static str, detail: &'static str| Err(FieldErrors::one("text", code, detail).into());
    match text.trim() {
        "" => return invalid("required", "The note is empty."),
        text if text.chars().count() > LONGEST => {
            return invalid("too_long", "The note is longer than 500 characters.");
        }
        _ => {}
    }
    let inserted = sqlx::query_as("INSERT INTO notes (user_id, text) VALUES (?, ?) RETURNING id, text");
    let note = inserted.bind(account.id).bind(text.trim()).fetch_one(&pool).await;
    Ok((StatusCode::CREATED, Json(note.map_err(AuthError::internal)?)))
}

async fn delete_all(
    ConfirmedUser(account): ConfirmedUser<Account>,
    State(pool): State<SqlitePool>,
) -> Result<StatusCode, AuthError> {
    let deleted = sqlx::query("DELETE FROM notes WHERE user_id = ?").bind(account.id).execute(&pool).await;
    deleted.map(|_| StatusCode::NO_CONTENT).map_err(AuthError::internal)
}

async fn export(
    Assured(account, ..): Assured<Account, Export>,
    State(pool): State<SqlitePool>,
) -> Result<impl IntoResponse, AuthError> {
    let notes = sqlx::query_as("SELECT id, text FROM notes WHERE user_id = ? ORDER BY id");
    let notes: Vec<Note> = notes.bind(account.id).fetch_all(&pool).await.map_err(AuthError::internal)?;
    Ok(([PERSONAL, AS_FILE], Json(notes)))
}
