//! Whether the host's struct can read a row of the table: what no description of the table says, because only `sqlx::FromRow` knows
//! the fields of the struct and their types.

use super::{Check, Difference};
use crate::sql::database::Dialect;
use crate::sql::identifier::Identifier;
use crate::sql::statement::Statement;
use crate::sql::users::SqlUsers;
use crate::telemetry::cause;
use crate::user::{AuthUser, NewUser};

/// A user who is inserted into an empty table, and taken back. The hash has the form and the length of one of bcrypt, and nobody
/// knows a password for it.
fn nobody() -> NewUser {
    let hash = format!("$2b$12${}", ".".repeat(53));
    NewUser::new("check", "check@axum-auth-module.invalid", hash)
}

impl<U: AuthUser> SqlUsers<U> {
    /// Reads a row into the struct. In an empty table it is one that is inserted and taken back, unless the host's own columns or
    /// triggers refuse it.
    pub(super) async fn unreadable(&self) -> Result<Option<Difference>, sqlx::Error> {
        let check = Check { dialect: self.database.dialect(), table: &self.table };
        let read = match self.records.read(self.table.select_any()).await {
            Ok(None) if self.takes_back().await? => self.read_nobody().await,
            read => read,
        };
        match read {
            Ok(_) => Ok(None),
            Err(error) => check.unreadable(error).map(Some),
        }
    }

    async fn read_nobody(&self) -> Result<Option<U>, sqlx::Error> {
        let id = self.new_ids.as_ref().map(|ids| ids.new_id());
        let Ok(insert) = self.table.insert(self.database.dialect(), id.as_ref(), &nobody()) else {
            return Ok(None);
        };
        match self.records.try_write(insert).await {
            Err(sqlx::Error::Database(_)) => Ok(None),
            read => read,
        }
    }

    /// Whether the table belongs to transactions, as all tables do but some of MySQL.
    async fn takes_back(&self) -> Result<bool, sqlx::Error> {
        if !self.database.dialect().is_mysql() {
            return Ok(true);
        }
        let engine = Statement::new(
            "SELECT count(*) AS number FROM information_schema.tables \
             WHERE table_schema = database() AND table_name = ? AND engine = 'InnoDB'",
        );
        let rows = self.database.fetch(engine.with(self.table.name().as_str())).await?;
        Ok(rows.first().map_or(Ok(0), |row| row.get::<i64>("number"))? == 1)
    }
}

impl Check<'_> {
    /// What is wrong if a row could not be read. Other errors are not about the table.
    fn unreadable(&self, error: sqlx::Error) -> Result<Difference, sqlx::Error> {
        match &error {
            sqlx::Error::ColumnNotFound(name) => Ok(Difference {
                column: Some(name.clone()),
                sentence: format!(
                    "the struct has a field for a column {name:?}, which is missing: add the column, or put \
                     `#[sqlx(rename = \"…\")]` or `#[sqlx(skip)]` on the field"
                ),
                sql: None,
            }),
            sqlx::Error::ColumnDecode { index, source } => Ok(Difference {
                column: Some(index.trim_matches('"').to_owned()),
                sentence: format!("{}; change the type of the field or of the column", cause(&error)),
                sql: self.other_type(index.trim_matches('"'), &source.to_string()),
            }),
            sqlx::Error::Decode(_) => {
                let sentence = format!("a row of the table: {}", cause(&error));
                Ok(Difference { column: None, sentence, sql: None })
            }
            _ => Err(error),
        }
    }

    /// The statement that gives a column the type that the field reads, where the column loses nothing by that. Only PostgreSQL
    /// tells such types apart.
    fn other_type(&self, column: &str, mismatch: &str) -> Option<String> {
        if self.dialect != Dialect::Postgres {
            return None;
        }
        let name = Identifier::from_owned(column.to_owned());
        let ty = match types(mismatch)? {
            ("INT8", "INT4" | "INT2") => "bigint".to_owned(),
            ("INT4", "INT2") => "integer".to_owned(),
            ("FLOAT8", "FLOAT4") => "double precision".to_owned(),
            ("TIMESTAMPTZ", "TIMESTAMP") => format!("timestamptz USING {name} AT TIME ZONE 'UTC'"),
            _ => return None,
        };
        Some(self.alter(&format!("ALTER COLUMN {name} TYPE {ty}")))
    }
}

/// The SQL type that the field reads, and that of the column, in sqlx's sentence about them.
fn types(mismatch: &str) -> Option<(&str, &str)> {
    let (_, rest) = mismatch.split_once("(as SQL type `")?;
    let (read, rest) = rest.split_once("`)")?;
    let (_, rest) = rest.split_once("with SQL type `")?;
    Some((read, rest.split_once('`')?.0))
}
