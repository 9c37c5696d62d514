//! The unique indexes of a table, as the database describes them.

use super::database::{Database, Dialect};
use super::identifier::Identifier;
use super::statement::Statement;

/// A unique index: its name, and the text within the parentheses of its definition.
pub(super) struct UniqueIndex {
    pub(super) name: String,
    keys: String,
    /// Whether it covers only the rows that meet a condition.
    is_partial: bool,
}

impl UniqueIndex {
    /// Reads an SQL definition, such as `CREATE UNIQUE INDEX … ON … (lower(email)) WHERE …`.
    fn parse(name: String, definition: &str) -> Self {
        let mut depth = 0_usize;
        let mut keys = String::new();
        let mut rest = definition.chars().skip_while(|c| *c != '(');
        for c in rest.by_ref() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            keys.push(c);
        }
        let is_partial = rest.collect::<String>().to_ascii_uppercase().contains("WHERE");
        Self { name, keys: keys.split_off(1.min(keys.len())), is_partial }
    }

    /// Whether the column is part of it, also within an expression.
    pub(super) fn contains(&self, column: &Identifier) -> bool {
        self.keys.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| column.is(word))
    }

    /// Whether it prevents two rows with the same value of the column.
    pub(super) fn is_only_on(&self, column: &Identifier) -> bool {
        let mut depth = 0_usize;
        let separates = |c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        };
        !self.is_partial && !self.keys.contains(separates) && self.contains(column)
    }
}

/// The unique indexes of a table, its primary key included.
pub(super) async fn unique_indexes(
    database: &Database,
    table: &Identifier,
) -> Result<Vec<UniqueIndex>, sqlx::Error> {
    let statement = match database.dialect() {
        // An index that a constraint has made has no SQL.
        Dialect::Sqlite => Statement::new(
            "SELECT list.name, coalesce(sql, '(' || (SELECT group_concat(info.name) FROM \
             pragma_index_info(list.name) AS info) || ')') AS definition \
             FROM pragma_index_list(?) AS list LEFT JOIN sqlite_schema ON sqlite_schema.name = list.name \
             WHERE list.\"unique\"",
        )
        .with(table.as_str()),
        Dialect::Postgres => Statement::new(
            "SELECT CAST(relname AS text) AS name, pg_get_indexdef(indexrelid) AS definition \
             FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
             WHERE indrelid = to_regclass(?) AND indisunique AND indisvalid",
        )
        .with(table.to_string()),
        Dialect::MySql => {
            let rows = database.fetch(Statement::new(format!("SHOW CREATE TABLE {table}"))).await?;
            let definition: Option<String> = rows.first().map(|row| row.get("Create Table")).transpose()?;
            return Ok(definition.iter().flat_map(|sql| sql.lines()).filter_map(mysql_key).collect());
        }
    };
    let rows = database.fetch(statement).await?;
    rows.iter()
        .map(|row| Ok(UniqueIndex::parse(row.get("name")?, &row.get::<String>("definition")?)))
        .collect()
}

/// A line of MySQL's SHOW CREATE TABLE, if it describes a unique key.
fn mysql_key(line: &str) -> Option<UniqueIndex> {
    let line = line.trim();
    if let Some(columns) = line.strip_prefix("PRIMARY KEY ") {
        return Some(UniqueIndex::parse("PRIMARY".to_owned(), columns));
    }
    let (name, columns) = line.strip_prefix("UNIQUE KEY `")?.split_once("` (")?;
    Some(UniqueIndex::parse(name.replace("``", "`"), &format!("({columns}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(definition: &str) -> UniqueIndex {
        UniqueIndex::parse("i".to_owned(), definition)
    }

    #[test]
    fn an_index_is_on_the_columns_in_its_parentheses() {
        let email = Identifier::from_source("email");
        for about in [
            "CREATE UNIQUE INDEX i ON users (lower(email))",
            "CREATE UNIQUE INDEX i ON users(tenant, LOWER(TRIM(\"Email\"))) WHERE deleted_at IS NULL",
        ] {
            assert!(index(about).contains(&email), "{about}");
        }
        for other in [
            "CREATE UNIQUE INDEX email ON email (lower(name))",
            "CREATE UNIQUE INDEX i ON users (lower(email_alias))",
            "CREATE UNIQUE INDEX i ON users (lower(name), (age + 1)) WHERE email IS NOT NULL",
            "",
        ] {
            assert!(!index(other).contains(&email), "{other}");
        }
    }

    #[test]
    fn an_index_prevents_duplicates_if_it_has_no_other_column_and_no_condition() {
        let email = Identifier::from_source("email");
        for only in [
            "(email)",
            "ON users (lower(trim(email, ' ')))",
            "(`email`(20))",
            "USING btree (email COLLATE c)",
        ] {
            assert!(index(only).is_only_on(&email), "{only}");
        }
        for not in [
            "(tenant, email)",
            "(email) WHERE deleted_at IS NULL",
            "(name)",
            "(lower(email), name)",
            "()",
            "",
        ] {
            assert!(!index(not).is_only_on(&email), "{not}");
        }
    }
}
