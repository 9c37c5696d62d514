//! The notes of a user.

use crate::Account;
use crate::errors::ErrorPage;
use crate::site::{escape, page};
use axum::extract::{Form, State};
use axum::response::{Html, Redirect};
use axum_auth_module::{AuthError, PageUser};
use serde::Deserialize;
use sqlx::SqlitePool;

/// For users. Everybody else is redirected to the login.
pub(crate) async fn list(
    user: PageUser<Account>,
    State(pool): State<SqlitePool>,
) -> Result<Html<String>, ErrorPage> {
    let select = sqlx::query_scalar("SELECT text FROM notes WHERE user_id = ?").bind(&user.id);
    let notes: Vec<String> = select.fetch_all(&pool).await.map_err(AuthError::internal)?;
    let items: String = notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
    let form =
        "<form method=post><label>A new note <input name=text required></label><button>Add</button></form>";
    Ok(page("Your notes", &format!("<ul>{items}</ul>{form}<p id=session></p>")))
}

#[derive(Deserialize)]
pub(crate) struct Note {
    text: String,
}

pub(crate) async fn add(
    user: PageUser<Account>,
    State(pool): State<SqlitePool>,
    Form(note): Form<Note>,
) -> Result<Redirect, ErrorPage> {
    let insert =
        sqlx::query("INSERT INTO notes (user_id, text) VALUES (?, ?)").bind(&user.id).bind(note.text);
    insert.execute(&pool).await.map_err(AuthError::internal)?;
    Ok(Redirect::to("/notes"))
}
