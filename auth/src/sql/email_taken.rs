//! Detects that a write failed because another record has the e-mail address. Only the database knows that for certain,
//! and SQLite names the violated columns or index only in the text of its error.

use super::identifier::Identifier;
use super::user_table::UserTable;
use crate::repository::RepositoryError;
use crate::user::UserField;
use sqlx::SqlitePool;

/// Converts the error of a write.
pub(super) async fn write_error(pool: &SqlitePool, table: &UserTable, error: sqlx::Error) -> RepositoryError {
    if is_about_email(pool, table, &error).await { RepositoryError::EmailTaken } else { error.into() }
}

async fn is_about_email(pool: &SqlitePool, table: &UserTable, error: &sqlx::Error) -> bool {
    let violation = error.as_database_error().filter(|error| error.is_unique_violation());
    let Some(violated) =
        violation.and_then(|error| error.message().strip_prefix("UNIQUE constraint failed: "))
    else {
        return false;
    };
    let email = table.column(UserField::Email);
    match violated.strip_prefix("index '").and_then(|index| index.strip_suffix('\'')) {
        Some(index) => match definition(pool, &index.replace("''", "'")).await {
            Ok(definition) => definition.is_some_and(|sql| indexes(&sql, &email)),
            // The caller gets the error of the write, not the error of this query.
            Err(_) => false,
        },
        None => {
            let email = format!("{}.{}", table.name().as_str(), email.as_str());
            violated.split(", ").any(|column| column.eq_ignore_ascii_case(&email))
        }
    }
}

/// The SQL that created an index. If a column of the index is an expression, SQLite's error names the index and not its
/// columns.
async fn definition(pool: &SqlitePool, index: &str) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?";
    sqlx::query_scalar(sql).bind(index).fetch_optional(pool).await
}

/// Whether the column occurs within the parentheses of `CREATE UNIQUE INDEX … ON … (…)`.
fn indexes(definition: &str, column: &Identifier) -> bool {
    let mut depth = 0_usize;
    let in_parentheses = definition.chars().skip_while(|c| *c != '(').take_while(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0
    });
    let keys: String = in_parentheses.collect();
    keys.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| column.is(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_on_the_columns_in_its_parentheses() {
        let email = Identifier::from_source("email");
        for about in [
            "CREATE UNIQUE INDEX i ON users (lower(email))",
            "CREATE UNIQUE INDEX i ON users(tenant, LOWER(TRIM(\"Email\"))) WHERE deleted_at IS NULL",
        ] {
            assert!(indexes(about, &email), "{about}");
        }
        for other in [
            "CREATE UNIQUE INDEX email ON email (lower(name))",
            "CREATE UNIQUE INDEX i ON users (lower(email_alias))",
            "CREATE UNIQUE INDEX i ON users (lower(name), (age + 1)) WHERE email IS NOT NULL",
            "",
        ] {
            assert!(!indexes(other, &email), "{other}");
        }
    }
}
