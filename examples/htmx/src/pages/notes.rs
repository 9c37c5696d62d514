//! `/notes`: the notes of the user, the page of this host behind the login. Its part is the list with the form below it.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PostForm};
use axum::Form;
use axum::extract::State;
use axum_auth_module::error::FieldErrors;
use axum_auth_module::extract::WithBody;
use axum_auth_module::{AuthError, CurrentUser};
use maud::html;
use serde::Deserialize;
use sqlx::SqlitePool;

const LONGEST: usize = 500;

#[derive(sqlx::FromRow)]
struct Note {
    id: i64,
    text: String,
}

pub(crate) async fn create_table(pool: &SqlitePool) -> sqlx::Result<()> {
    let sql = "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, text TEXT NOT NULL)";
    sqlx::query(sql).execute(pool).await.map(drop)
}

async fn page(
    pool: &SqlitePool,
    account: &Account,
    entered: &str,
    errors: &FormErrors,
    notice: Option<Notice>,
) -> Result<Page, AuthError> {
    let notes = sqlx::query_as("SELECT id, text FROM notes WHERE user_id = ? ORDER BY id DESC LIMIT 100");
    let notes: Vec<Note> = notes.bind(&account.id).fetch_all(pool).await.map_err(AuthError::internal)?;
    let no_errors = FormErrors::default();
    let remove = |note: &Note| {
        PostForm::new(&format!("remove-{}", note.id), "/notes", &no_errors)
            .within("#notes")
            .hidden("action", "remove")
            .hidden("id", &note.id.to_string())
            .submit_for("Remove", &note.text)
    };
    let part = html! {
        section #notes {
            @if let Some(notice) = notice { (notice) }
            @if notes.is_empty() { p { "There are no notes yet." } }
            ul { @for note in &notes { li { (note.text) (remove(note)) } } }
            (PostForm::new("add", "/notes", errors)
                .within("#notes")
                .hidden("action", "add")
                .field(&Field::text("text", "A new note", "off").value(entered))
                .submit("Add the note"))
        }
    };
    Ok(Page::new("Your notes", part).user(account).errors(errors))
}

pub(crate) async fn show(
    CurrentUser(account): CurrentUser<Account>,
    State(pool): State<SqlitePool>,
    notice: Option<Notice>,
) -> Result<Page, AuthError> {
    page(&pool, &account, "", &FormErrors::default(), notice).await
}

/// What a form of the page does.
#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(crate) enum Change {
    Add { text: String },
    Remove { id: String },
}

pub(crate) async fn change(
    State(pool): State<SqlitePool>,
    WithBody(CurrentUser(account), Form(change)): WithBody<CurrentUser<Account>, Form<Change>>,
) -> Result<Page, AuthError> {
    let notice = match change {
        Change::Add { text } => match add(&pool, &account, text.trim()).await {
            Ok(()) => Notice::NoteAdded,
            Err(error) => return page(&pool, &account, &text, &FormErrors::of(error)?, None).await,
        },
        Change::Remove { id } => {
            // A note that is gone already is removed, too, and nobody removes the note of somebody else.
            let remove = sqlx::query("DELETE FROM notes WHERE id = ? AND user_id = ?");
            remove.bind(id).bind(&account.id).execute(&pool).await.map_err(AuthError::internal)?;
            Notice::NoteRemoved
        }
    };
    let page = page(&pool, &account, "", &FormErrors::default(), Some(notice)).await?;
    Ok(page.changed("/notes", notice))
}

async fn add(pool: &SqlitePool, account: &Account, text: &str) -> Result<(), AuthError> {
    let invalid =
        |code: &'static str, detail: &'static str| Err(FieldErrors::one("text", code, detail).into());
    match text.chars().count() {
        0 => return invalid("required", "The note is empty."),
        1..=LONGEST => {}
        _ => return invalid("too_long", "The note is longer than 500 characters."),
    }
    let insert = sqlx::query("INSERT INTO notes (user_id, text) VALUES (?, ?)").bind(&account.id).bind(text);
    insert.execute(pool).await.map(drop).map_err(AuthError::internal)
}
