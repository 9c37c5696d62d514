//! How the databases differ in the texts of statements.

use super::super::identifier::Identifier;
use super::super::statement::Statement;

/// The database for which a statement is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "without a database's cargo feature, nothing makes its variant")]
#[doc(hidden)]
pub enum Dialect {
    Sqlite,
    Postgres,
    /// MySQL and MariaDB.
    MySql,
}

/// A text for each database.
#[derive(Clone, Copy)]
pub(in crate::sql) struct PerDialect {
    pub(in crate::sql) sqlite: &'static str,
    pub(in crate::sql) postgres: &'static str,
    pub(in crate::sql) mysql: &'static str,
}

impl Dialect {
    /// The text for this database.
    pub(in crate::sql) const fn choose(self, text: PerDialect) -> &'static str {
        match self {
            Self::Sqlite => text.sqlite,
            Self::Postgres => text.postgres,
            Self::MySql => text.mysql,
        }
    }

    /// Whether it is MySQL or MariaDB, which have neither `RETURNING` nor `ON CONFLICT`.
    pub(in crate::sql) const fn is_mysql(self) -> bool {
        matches!(self, Self::MySql)
    }

    /// The condition that a column has the value of a placeholder or both are null.
    pub(in crate::sql) fn is_same(self, column: &str) -> String {
        match self {
            Self::MySql => format!("{column} <=> ?"),
            Self::Sqlite | Self::Postgres => format!("{column} IS NOT DISTINCT FROM ?"),
        }
    }

    /// The same for a column with text, which is compared character by character.
    pub(in crate::sql) fn is_same_text(self, column: &str) -> String {
        match self {
            // MySQL compares by the column's collation, which may ignore case, accents and trailing spaces.
            Self::MySql => {
                format!("CAST(CONVERT({column} USING utf8mb4) AS BINARY) <=> CAST(? AS BINARY)")
            }
            Self::Sqlite | Self::Postgres => self.is_same(column),
        }
    }

    /// Deletes at most so many rows for which the condition holds. Only MySQL has `DELETE … LIMIT`, and only MySQL cannot read
    /// the table from which it deletes.
    ///
    /// The others have the condition twice: if another transaction has changed a row meanwhile, PostgreSQL compares the new row
    /// with the outer condition alone.
    pub(in crate::sql) fn delete_some(
        self,
        table: &Identifier,
        key: &str,
        condition: Statement,
        at_most: u32,
    ) -> Statement {
        let (condition, values) = condition.into_parts();
        if self.is_mysql() {
            let delete = Statement::new(format!("DELETE FROM {table} WHERE {condition} LIMIT ?"));
            return values.into_iter().fold(delete, Statement::with).with(at_most);
        }
        let delete = Statement::new(format!(
            "DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} WHERE {condition} LIMIT ?) AND {condition}"
        ));
        let delete = values.iter().cloned().fold(delete, Statement::with).with(at_most);
        values.into_iter().fold(delete, Statement::with)
    }

    /// The text as the database reads it. The library writes every statement with `?` and `"` as in SQLite.
    pub(in crate::sql) fn render(self, sql: String) -> String {
        match self {
            Self::Sqlite => sql,
            Self::Postgres => numbered(&sql),
            Self::MySql => sql.replace('"', "`"),
        }
    }
}

/// Replaces each `?` by `$1`, `$2`, ….
fn numbered(sql: &str) -> String {
    let mut parts = sql.split('?');
    let mut numbered = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        numbered.push_str(&format!("${}{part}", index + 1));
    }
    numbered
}

#[cfg(test)]
mod tests {
    #[test]
    fn postgresql_numbers_its_placeholders() {
        let sql = r#"UPDATE "users" SET "name" = ? WHERE "id" = ?"#.to_owned();
        assert_eq!(super::Dialect::Postgres.render(sql), r#"UPDATE "users" SET "name" = $1 WHERE "id" = $2"#);
        assert_eq!(super::Dialect::Postgres.render("SELECT 1".to_owned()), "SELECT 1");
    }

    #[test]
    fn mysql_quotes_names_with_backticks() {
        let sql = r#"SELECT * FROM "order" WHERE "id" = ?"#.to_owned();
        assert_eq!(super::Dialect::MySql.render(sql), "SELECT * FROM `order` WHERE `id` = ?");
    }
}
