//! Detects that a write failed because another record has the e-mail address or the user name. Only the database knows that for
//! certain, and its error names the violated index or, in SQLite, the columns.

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
    let Some(violated) = violation.and_then(|violation| violated(database.dialect(), violation)) else {
        return repository_error(error);
    };
    let taken = [
        (UserField::Email, RepositoryError::EmailTaken),
        (UserField::Username, RepositoryError::UsernameTaken),
    ];
    let mut taken = taken.into_iter().filter(|(field, _)| table.has(*field));
    let found = match violated {
        Violated::Columns(columns) => taken.find(|(field, _)| {
            let own = format!("{}.{}", table.name().as_str(), table.column(*field).as_str());
            columns.split(", ").any(|column| column.eq_ignore_ascii_case(&own))
        }),
        // If this query fails, the caller gets the error of the write.
        Violated::Index(index) => unique_indexes(database, table.name()).await.ok().and_then(|indexes| {
            let unique = indexes.into_iter().find(|unique| unique.name == index)?;
            taken.find(|(field, _)| unique.contains(&table.column(*field)))
        }),
    };
    found.map_or_else(|| repository_error(error), |(_, taken)| taken)
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
