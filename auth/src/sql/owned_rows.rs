//! A table whose rows belong to users, such as passkeys: what the repositories of such rows share. Each row has a key that no other row
//! has. [`OwnedRows::delete`] and [`OwnedRows::delete_all`] need the columns `id` and `user_id`.

use super::database::{Database, IntoDatabase, PerDialect, Row, repository_error};
use super::identifier::{Identifier, InvalidIdentifier};
use super::statement::Statement;
use crate::repository::RepositoryError;

/// The rows of such a table.
#[derive(Clone)]
pub(super) struct OwnedRows {
    database: Database,
    table: Identifier,
    /// What is read of a row.
    columns: PerDialect,
}

impl OwnedRows {
    pub(super) fn new(database: impl IntoDatabase, table: &'static str, columns: PerDialect) -> Self {
        let (database, table) = (database.into_database(), Identifier::from_source(table));
        Self { database, table, columns }
    }

    /// The rows of another table.
    ///
    /// # Errors
    /// If this is no name of a table.
    pub(super) fn of(self, table: impl Into<String>) -> Result<Self, InvalidIdentifier> {
        Ok(Self { table: Identifier::new(table)?, ..self })
    }

    /// A statement that stores a row with values for these columns, which are to be bound, unless its key is taken.
    pub(super) fn insertion(&self, columns: &[&str], key: &str) -> Statement {
        let dialect = self.database.dialect();
        let values = vec!["?"; columns.len()].join(", ");
        let mut sql = format!("INSERT INTO {} ({}) VALUES ({values})", self.table, columns.join(", "));
        // On MySQL, `IGNORE` would also cut off what is too long, and sqlx counts the row of `ON DUPLICATE KEY UPDATE` in any case.
        if !dialect.is_mysql() {
            sql += &format!(" ON CONFLICT ({key}) DO NOTHING");
        }
        Statement::new(sql)
    }

    /// Runs such a statement. Returns whether the row is stored. `is_taken` says which errors of MySQL mean that its key is taken.
    ///
    /// # Errors
    /// Those of the database, also if something else than the key of the row is taken.
    pub(super) async fn insert(
        &self,
        insertion: Statement,
        is_taken: fn(&sqlx::Error) -> bool,
    ) -> Result<bool, RepositoryError> {
        match self.database.execute(insertion).await {
            Ok(inserted) => Ok(inserted == 1),
            Err(error) if self.database.dialect().is_mysql() && is_taken(&error) => Ok(false),
            Err(error) => Err(repository_error(error)),
        }
    }

    /// The beginning of a statement that reads the rows for which this holds.
    pub(super) fn select(&self, condition: &str) -> Statement {
        let columns = self.database.dialect().choose(self.columns);
        Statement::new(format!("SELECT {columns} FROM {} WHERE {condition}", self.table))
    }

    /// Reads rows.
    ///
    /// # Errors
    /// Those of the database, and of `read`.
    pub(super) async fn fetch<T>(
        &self,
        select: Statement,
        read: fn(&Row) -> Result<T, RepositoryError>,
    ) -> Result<Vec<T>, RepositoryError> {
        let rows = self.database.fetch(select).await.map_err(repository_error)?;
        rows.iter().map(read).collect()
    }

    /// The beginning of a statement that writes this.
    pub(super) fn update(&self, what: &str) -> Statement {
        Statement::new(format!("UPDATE {} SET {what}", self.table))
    }

    /// The beginning of a statement that deletes the rows for which this holds.
    pub(super) fn deletion(&self, condition: &str) -> Statement {
        Statement::new(format!("DELETE FROM {} WHERE {condition}", self.table))
    }

    /// Runs a statement that writes at most one row. Returns whether there was one.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) async fn write(&self, statement: Statement) -> Result<bool, RepositoryError> {
        Ok(self.execute(statement).await? == 1)
    }

    /// Deletes the row with this id of this user, and returns whether there was one.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        self.write(self.deletion("id = ? AND user_id = ?").with(id).with(user_id)).await
    }

    /// Deletes all rows of a user, and returns their number.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        self.execute(self.deletion("user_id = ?").with(user_id)).await
    }

    /// Deletes rows that have expired by `now`, in milliseconds since 1970, at most so many. Returns their number. It needs the column
    /// `expires_at`.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) async fn delete_expired(&self, now: i64, at_most: u32) -> Result<u64, RepositoryError> {
        let expired = Statement::new("expires_at <= ?").with(now);
        self.execute(self.database.dialect().delete_some(&self.table, "id", expired, at_most)).await
    }

    async fn execute(&self, statement: Statement) -> Result<u64, RepositoryError> {
        self.database.execute(statement).await.map_err(repository_error)
    }
}
