//! The routes of the notes, which read and write with SeaORM. A user sees their own notes and no others.

use crate::App;
use crate::entity::{account, note};
use crate::failure::failure;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::{AuthError, CurrentUser};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseConnection, DbErr, EntityTrait, ModelTrait, QueryFilter,
    QueryOrder, Set, SqlErr,
};
use serde::Deserialize;

/// How long a note can be, in characters.
const LONGEST: usize = 1_000;

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/notes", get(list).post(add)).route("/notes/{id}", delete(remove))
}

/// `CurrentUser` has read the user with the library's adapter. SeaORM finds what belongs to the record, because it is one of its models.
async fn list(
    State(database): State<DatabaseConnection>,
    CurrentUser(account): CurrentUser<account::Model>,
) -> Result<Json<Vec<note::Model>>, AuthError> {
    let notes = account.find_related(note::Entity).order_by_asc(note::Column::Id);
    Ok(Json(notes.all(&database).await.map_err(failure)?))
}

#[derive(Deserialize)]
struct NewNote {
    text: String,
}

async fn add(
    State(database): State<DatabaseConnection>,
    CurrentUser(account): CurrentUser<account::Model>,
    Json(NewNote { text }): Json<NewNote>,
) -> Result<(StatusCode, Json<note::Model>), AuthError> {
    if text.trim().is_empty() || text.chars().count() > LONGEST {
        let detail = format!("A note has 1 to {LONGEST} characters.");
        return Err(AuthError::ValidationFailed(FieldErrors::one("text", "length", detail)));
    }
    // The id of the user record is the type of the column: nothing is converted.
    let note = note::ActiveModel { account_id: Set(account.id), text: Set(text), ..Default::default() };
    let note = note.insert(&database).await.map_err(not_added)?;
    Ok((StatusCode::CREATED, Json(note)))
}

/// The account can be deleted after `CurrentUser` has read it. The foreign key then refuses the note, and the user is signed in no more.
fn not_added(error: DbErr) -> AuthError {
    match error.sql_err() {
        Some(SqlErr::ForeignKeyConstraintViolation(_)) => AuthError::Unauthenticated,
        _ => failure(error),
    }
}

/// The condition names the user as well: the id of somebody else's note is as unknown as one that does not exist.
async fn remove(
    State(database): State<DatabaseConnection>,
    CurrentUser(account): CurrentUser<account::Model>,
    Path(id): Path<i64>,
) -> Result<StatusCode, AuthError> {
    let own = note::Entity::delete_many()
        .filter(note::Column::Id.eq(id))
        .filter(note::Column::AccountId.eq(account.id));
    match own.exec(&database).await.map_err(failure)?.rows_affected {
        0 => Ok(StatusCode::NOT_FOUND),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
