//! What the addresses in a table of users are like.

use super::super::database::{Database, Dialect};
use super::super::statement::Statement;
use super::super::user_table::UserTable;
use crate::user::UserField;

/// How many addresses are not in their canonical form: ASCII, lower case, without spaces around them.
pub(super) async fn not_canonical(database: &Database, table: &UserTable) -> Result<i64, sqlx::Error> {
    let email = table.column(UserField::Email);
    let condition = match database.dialect() {
        // `lower` knows only ASCII.
        Dialect::Sqlite => {
            format!("{email} <> lower(trim({email}, ' ' || char(9))) OR {email} GLOB '*[^ -~]*'")
        }
        Dialect::Postgres => format!(
            "CAST({email} AS text) COLLATE \"C\" <> lower(btrim(CAST({email} AS text), E' \\t') COLLATE \"C\") \
             OR octet_length(CAST({email} AS text)) <> char_length(CAST({email} AS text))"
        ),
        Dialect::MySql => {
            let utf8 = format!("CONVERT({email} USING utf8mb4)");
            format!(
                "CAST({utf8} AS BINARY) <> CAST(lower(trim({utf8})) AS BINARY) \
                 OR length({utf8}) <> char_length({utf8})"
            )
        }
    };
    count(database, table, &condition).await
}

/// How many users have an address that nobody has proven.
pub(super) async fn unverified(database: &Database, table: &UserTable) -> Result<i64, sqlx::Error> {
    count(database, table, &format!("{} IS NULL", table.column(UserField::EmailVerifiedAt))).await
}

async fn count(database: &Database, table: &UserTable, condition: &str) -> Result<i64, sqlx::Error> {
    let count = Statement::new(format!("SELECT count(*) AS number FROM {} WHERE {condition}", table.name()));
    database.fetch(count).await?.first().map_or(Ok(0), |row| row.get("number"))
}
