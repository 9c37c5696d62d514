//! Detects that a write failed because another record has the e-mail address. Only the database knows that for certain,
//! and its error names the violated index or, in SQLite, the columns.

use super::database::{Database, Dialect, repository_error};
use super::indexes::unique_indexes;
use super::user_table::UserTable;
use crate::repository::RepositoryError;
use crate::user::UserField;
use sqlx::error::DatabaseError;

/// Converts the error of a write.
pub(super) async fn write_error(
    database: &Database,
    table: &UserTable,
    error: sqlx::Error,
) -> RepositoryError {
    let violation = error.as_database_error().filter(|error| error.is_unique_violation());
    let about_email = match violation.and_then(|violation| violated(database.dialect(), violation)) {
        None => false,
        Some(Violated::Columns(columns)) => {
            let email = format!("{}.{}", table.name().as_str(), table.column(UserField::Email).as_str());
            columns.split(", ").any(|column| column.eq_ignore_ascii_case(&email))
        }
        Some(Violated::Index(index)) => match unique_indexes(database, table.name()).await {
            Ok(indexes) => {
                let email = table.column(UserField::Email);
                indexes.iter().any(|unique| unique.name == index && unique.contains(&email))
            }
            // The caller gets the error of the write, not the error of this query.
            Err(_) => false,
        },
    };
    if about_email { RepositoryError::EmailTaken } else { repository_error(error) }
}

/// What a unique violation is about.
enum Violated {
    /// `users.tenant, users.email`, in SQLite.
    Columns(String),
    Index(String),
}

fn violated(dialect: Dialect, violation: &dyn DatabaseError) -> Option<Violated> {
    match dialect {
        Dialect::Sqlite => {
            let violated = violation.message().strip_prefix("UNIQUE constraint failed: ")?;
            // If a column of the index is an expression, SQLite names the index and not its columns.
            Some(match violated.strip_prefix("index '").and_then(|index| index.strip_suffix('\'')) {
                Some(index) => Violated::Index(index.replace("''", "'")),
                None => Violated::Columns(violated.to_owned()),
            })
        }
        Dialect::Postgres => violation.constraint().map(|index| Violated::Index(index.to_owned())),
        // "Duplicate entry 'a@b.co' for key 'users.email'", in MariaDB without the table.
        Dialect::MySql => {
            let (_, key) = violation.message().strip_suffix('\'')?.rsplit_once("for key '")?;
            let index = key.rsplit_once('.').map_or(key, |(_, index)| index);
            Some(Violated::Index(index.to_owned()))
        }
    }
}
