//! `migrations`: the SQL that makes the library's tables, for a host that runs all migrations itself.

use super::{Failure, Outcome};

/// The options of `migrations`.
#[derive(Default)]
pub(super) struct Options {
    /// `sqlite`, `postgres` or `mysql`.
    pub(super) database: Option<String>,
    /// The tables. Without any, all of them.
    pub(super) tables: Vec<String>,
    /// The version up to which the host has applied the migrations.
    pub(super) after: u32,
}

#[cfg(not(any(feature = "sqlite", feature = "postgres", feature = "mysql")))]
pub(super) fn run(_options: &Options) -> Result<Outcome, Failure> {
    Err(Failure::new(
        "this command was built without a database; build it with `--features command,postgres`, for example",
    ))
}

#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
pub(super) fn run(options: &Options) -> Result<Outcome, Failure> {
    use crate::sql::{Dialect, Table, migrations_as_sql};

    let dialect = match options.database.as_deref() {
        Some("sqlite") => Dialect::Sqlite,
        Some("postgres" | "postgresql") => Dialect::Postgres,
        Some("mysql" | "mariadb") => Dialect::MySql,
        _ => return Err(Failure::new("for which database? Say `sqlite`, `postgres` or `mysql`")),
    };
    let named = options.tables.iter().map(|name| {
        let table = Table::ALL.iter().find(|table| table.name() == name).copied();
        table.ok_or_else(|| {
            let all: Vec<_> = Table::ALL.iter().map(|table| table.name()).collect();
            Failure(format!("the library has no table `{name}`; its tables are {}", all.join(", ")))
        })
    });
    let named: Vec<Table> = named.collect::<Result<_, _>>()?;
    let tables = if named.is_empty() { Table::ALL } else { &named };
    match migrations_as_sql(dialect, tables, options.after.into()) {
        sql if sql.is_empty() => {
            super::print(&format!("-- no migration has a version above {}\n", options.after))?;
        }
        sql => super::print(&sql)?,
    }
    Ok(Outcome::Fine)
}
