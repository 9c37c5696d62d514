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
///
/// Hosts migrate large tables while other instances serve requests. On MySQL, a change must be one statement: MySQL cannot take back the
/// first of two. And MySQL needs the name of what a change adds: if a process ended while it migrated, the name tells whether the
/// migration has taken place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "no table has been changed since the first release; the tests change some")]
pub(super) enum Step {
    /// Creates the table and its indexes.
    Create,
    /// Adds a column that is null or has a constant default: the databases then write no row.
    Alter {
        /// The column.
        adds: &'static str,
    },
    /// Builds an index. On PostgreSQL the SQL is `CREATE INDEX CONCURRENTLY IF NOT EXISTS`, during which rows can be written, and
    /// which is not part of a transaction. The library works without the index: an instance can start before the index is built.
    Index {
        /// The index.
        adds: &'static str,
    },
}

impl Migration {
    /// The migration as sqlx runs it.
    pub(super) fn in_sqlx(&self, table: &'static str, dialect: Dialect) -> sqlx::migrate::Migration {
        let description: Cow<'static, str> = match self.step {
            Step::Create => table.into(),
            Step::Alter { adds } | Step::Index { adds } => format!("{table}: {adds}").into(),
        };
        let sql = dialect.choose(self.sql).into_sql_str();
        sqlx::migrate::Migration::new(
            self.version,
            description,
            MigrationType::Simple,
            sql,
            self.is_apart(dialect),
        )
    }

    /// Whether it must not be part of a transaction.
    pub(super) fn is_apart(&self, dialect: Dialect) -> bool {
        dialect == Dialect::Postgres && matches!(self.step, Step::Index { .. })
    }
}
