//! How a table of the library is made, and how later versions of the library change it.

use super::database::{Dialect, PerDialect};
use sqlx::SqlSafeStr;
use sqlx::migrate::MigrationType;
use std::borrow::Cow;

/// A table, and the migrations that make it what it is.
pub(super) struct Definition {
    pub(super) name: &'static str,
    /// The first one creates the table. A change of the table is another one at the end, and the first stays as it is.
    pub(super) migrations: &'static [Migration],
}

/// A step from one state of a table to the next.
pub(super) struct Migration {
    /// Its number in the history, which no other migration has: one more than the highest of all tables.
    pub(super) version: i64,
    pub(super) step: Step,
    /// A released migration must never change, not even a comment in it: every host's database contains its checksum.
    pub(super) sql: PerDialect,
}

/// What a migration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Creates the table and its indexes.
    Create,
    /// Changes the table. On MySQL it must be one statement: MySQL cannot take back the first of two.
    #[allow(dead_code, reason = "no table has been changed since the first release; the tests change some")]
    Alter {
        /// The column or index that it adds. MySQL needs it: if a process ended while it migrated, this tells whether the
        /// migration has taken place.
        adds: &'static str,
    },
}

impl Migration {
    /// The migration as sqlx runs it.
    pub(super) fn in_sqlx(&self, table: &'static str, dialect: Dialect) -> sqlx::migrate::Migration {
        let description: Cow<'static, str> = match self.step {
            Step::Create => table.into(),
            Step::Alter { adds } => format!("{table}: {adds}").into(),
        };
        let sql = dialect.choose(self.sql).into_sql_str();
        sqlx::migrate::Migration::new(self.version, description, MigrationType::Simple, sql, false)
    }
}
