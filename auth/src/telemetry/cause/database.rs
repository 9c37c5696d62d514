//! Errors of databases. Their messages can contain values: MySQL's of a violated index has the value, PostgreSQL's of a number
//! that is none has the text, a trigger's whatever its author likes. PostgreSQL's DETAIL has the whole row.

use sqlx::Error;
use sqlx::error::{BoxDynError, DatabaseError, ErrorKind, UnexpectedNullError};
use std::error::Error as StdError;

/// What a request that needs a missing table is told in the log.
const TABLE_IS_MISSING: &str = "a table is missing: has `axum_auth_module::sql::migrate` run?";

/// The text of an error of sqlx or of one of its databases, whatever has wrapped it. `None` for any other error.
pub(super) fn reduced(error: &(dyn StdError + 'static)) -> Option<String> {
    match error.downcast_ref::<Error>() {
        Some(error) => Some(of_sqlx(error)),
        None => database_error(error).map(of_database),
    }
}

/// Whether a database has no such table.
pub(super) fn is_missing_table(error: &(dyn StdError + 'static)) -> bool {
    let error = match error.downcast_ref::<Error>() {
        Some(Error::Database(error)) => Some(&**error),
        _ => database_error(error),
    };
    error.and_then(meaning) == Some(TABLE_IS_MISSING)
}

/// The error as that of a database, if it is one without an error of sqlx around it.
fn database_error<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e dyn DatabaseError> {
    // An error with `#[error(transparent)]` leaves out the error of sqlx itself, so that this one is its source.
    if let Some(error) = error.downcast_ref::<Box<dyn DatabaseError>>() {
        return Some(&**error);
    }
    #[cfg(feature = "sqlite")]
    if let Some(error) = error.downcast_ref::<sqlx::sqlite::SqliteError>() {
        return Some(error);
    }
    #[cfg(feature = "postgres")]
    if let Some(error) = error.downcast_ref::<sqlx::postgres::PgDatabaseError>() {
        return Some(error);
    }
    #[cfg(feature = "mysql")]
    if let Some(error) = error.downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
        return Some(error);
    }
    None
}

fn of_sqlx(error: &Error) -> String {
    match error {
        Error::Database(error) => of_database(&**error),
        Error::ColumnDecode { index, source } => {
            format!("the column {index} cannot be decoded{}", why_not_decoded(source))
        }
        Error::Decode(source) => format!("a value cannot be decoded{}", why_not_decoded(source)),
        Error::Encode(_) => "a value cannot be encoded".to_owned(),
        // Their texts are about connections, types and names of columns.
        Error::Io(_)
        | Error::Tls(_)
        | Error::RowNotFound
        | Error::TypeNotFound { .. }
        | Error::ColumnIndexOutOfBounds { .. }
        | Error::ColumnNotFound(_)
        | Error::PoolTimedOut
        | Error::PoolClosed
        | Error::WorkerCrashed
        | Error::InvalidSavePointStatement
        | Error::BeginFailed => error.to_string(),
        Error::Configuration(_) => "the connection to the database is configured wrongly".to_owned(),
        Error::Protocol(_) => "the database has sent something unexpected".to_owned(),
        _ => "sqlx has failed".to_owned(),
    }
}

/// The text of a failed decoding often repeats the value. These two do not.
fn why_not_decoded(source: &BoxDynError) -> String {
    let text = source.to_string();
    let is_about_types =
        source.is::<UnexpectedNullError>() || text.starts_with("mismatched types; Rust type");
    if is_about_types { format!(": {text}") } else { String::new() }
}

/// `database error 23505: a unique index is violated, table users, constraint users_email_key`
fn of_database(error: &dyn DatabaseError) -> String {
    let mut text = "database error".to_owned();
    for code in error.code().into_iter().map(String::from).chain(number(error)) {
        text.push(' ');
        text.push_str(&code);
    }
    let named = |name: &str, value: Option<&str>| value.map(|value| format!("{name} {value}"));
    let details = [
        meaning(error).map(str::to_owned),
        named("table", error.table()),
        named("constraint", error.constraint().or_else(|| constraint_of_sqlite(error))),
    ];
    let details: Vec<_> = details.into_iter().flatten().collect();
    if details.is_empty() { text } else { format!("{text}: {}", details.join(", ")) }
}

/// MySQL's own number, which says more than the standard's code.
fn number(error: &dyn DatabaseError) -> Option<String> {
    #[cfg(feature = "mysql")]
    if let Some(error) = error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
        return Some(format!("({})", error.number()));
    }
    let _other = error;
    None
}

/// What the commonest codes mean.
fn meaning(error: &dyn DatabaseError) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::UniqueViolation => return Some("a unique index is violated"),
        ErrorKind::ForeignKeyViolation => return Some("a foreign key is violated"),
        ErrorKind::NotNullViolation => return Some("a column must not be NULL"),
        ErrorKind::CheckViolation => return Some("a check is violated"),
        _ => {}
    }
    let (code, message) = (error.code().unwrap_or_default(), error.message());
    match (&*code, number(error).as_deref()) {
        ("42P01", _) | (_, Some("(1146)")) => Some(TABLE_IS_MISSING),
        ("42703", _) | (_, Some("(1054)")) => Some("a column is missing"),
        // SQLite has one code for everything that is wrong with a statement.
        ("1", None) if message.starts_with("no such table") => Some(TABLE_IS_MISSING),
        ("1", None) if message.contains("no such column") || message.contains("has no column named") => {
            Some("a column is missing")
        }
        _ => None,
    }
}

/// SQLite's message of a violated constraint, which has only names: `UNIQUE constraint failed: users.email`. The message of a
/// trigger has another code.
fn constraint_of_sqlite(error: &dyn DatabaseError) -> Option<&str> {
    #[cfg(feature = "sqlite")]
    {
        /// Check, not null, primary key, unique.
        const CODES: [&str; 4] = ["275", "1299", "1555", "2067"];
        error.try_downcast_ref::<sqlx::sqlite::SqliteError>()?;
        if !CODES.contains(&&*error.code()?) {
            return None;
        }
        error.message().split_once("constraint failed: ").map(|(_, name)| name)
    }
    #[cfg(not(feature = "sqlite"))]
    {
        let _other = error;
        None
    }
}
