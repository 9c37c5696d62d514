//! The library's migrations together with a host's own, in either order and repeatedly.

use super::{Tested, on_each};
use crate::sql::check::exists;
use crate::sql::database::Inner;
use crate::sql::statement::Statement;
use crate::sql::{MigrateError, Table, migrate, migrate_only};
use crate::testing::databases::Kind;
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// A host whose first migration has the same number as the library's.
async fn migrate_host(tested: &Tested) {
    let sql = "CREATE TABLE plans (id INTEGER PRIMARY KEY)".into_sql_str();
    let migration = Migration::new(1, "plans".into(), MigrationType::Simple, sql, false);
    let migrator = Migrator::with_migrations(vec![migration]);
    match &tested.database.0 {
        Inner::Sqlite(pool) => migrator.run(pool.pool()).await.unwrap(),
        Inner::Postgres(pool) => migrator.run(pool.pool()).await.unwrap(),
        Inner::MySql(pool) => migrator.run(pool.pool()).await.unwrap(),
    }
}

impl Tested {
    async fn has(&self, table: &str) -> bool {
        exists(&self.database, table).await.unwrap()
    }
}

#[tokio::test]
async fn the_host_can_run_its_own_migrations_before_or_after() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        migrate_host(&tested).await;
        migrate(&tested.database).await.unwrap();
        for table in Table::ALL.iter().map(|table| table.name()).chain(["plans"]) {
            assert!(tested.has(table).await, "{table}");
        }
    })
    .await;
    on_each(async |tested| {
        migrate_host(&tested).await;
        migrate(&tested.database).await.unwrap();
        migrate_host(&tested).await;
        assert!(tested.has("users").await && tested.has("plans").await);
    })
    .await;
}

/// There are no default accounts (ASVS 6.3.2).
#[tokio::test]
async fn the_tables_are_empty() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        for table in Table::ALL.iter().map(|table| table.name()) {
            assert_eq!(tested.count(table).await, 0, "{table}");
        }
    })
    .await;
}

#[tokio::test]
async fn each_table_can_be_created_on_its_own_and_in_any_order() {
    on_each(async |tested| {
        for table in Table::ALL.iter().rev() {
            migrate_only(&tested.database, &[*table]).await.unwrap();
            migrate_only(&tested.database, &[*table]).await.unwrap();
        }
        assert_eq!(tested.count("_auth_migrations").await, Table::ALL.len() as i64);
        migrate(&tested.database).await.unwrap();
        assert_eq!(tested.count("_auth_migrations").await, Table::ALL.len() as i64);
    })
    .await;
    on_each(async |tested| {
        migrate_only(&tested.database, Table::WITHOUT_USERS).await.unwrap();
        assert!(!tested.has("users").await && tested.has("auth_store").await);
    })
    .await;
}

#[tokio::test]
async fn a_table_with_the_name_of_one_of_the_librarys_is_left_alone() {
    on_each(async |tested| {
        tested.run("CREATE TABLE auth_store (id INTEGER)").await;
        let error = migrate(&tested.database).await.unwrap_err();
        assert!(matches!(error, MigrateError::TableExists("auth_store")), "{error}");
        assert!(!tested.has("users").await && !tested.has("_auth_migrations").await);
        migrate_only(&tested.database, &[Table::Users, Table::AuthSessions]).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_changed_migration_is_an_error() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        let other = if tested.kind == Kind::Postgres { "'\\x00'" } else { "X'00'" };
        tested.run(&format!("UPDATE _auth_migrations SET checksum = {other} WHERE version = 3")).await;
        let error = migrate(&tested.database).await.unwrap_err().to_string();
        assert!(error.contains("migration 3"), "{error}");
    })
    .await;
}

/// Applied migrations are part of every host's database: their texts must not change.
#[tokio::test]
async fn a_migration_never_changes() {
    let mut history = String::new();
    for kind in Kind::ALL {
        let Some(tested) = super::tested(kind).await else { return };
        migrate(&tested.database).await.unwrap();
        let hex = if kind == Kind::Postgres { "encode(checksum, 'hex')" } else { "lower(hex(checksum))" };
        let sql = format!(
            "SELECT CAST(description AS char(20)) AS name, {hex} AS checksum FROM _auth_migrations ORDER BY version"
        );
        for row in tested.database.fetch(Statement::new(sql)).await.unwrap() {
            let (name, checksum): (String, String) = (row.get("name").unwrap(), row.get("checksum").unwrap());
            history.push_str(&format!("{kind:?} {} {checksum:.16}\n", name.trim()));
        }
        tested.close().await;
    }
    insta::assert_snapshot!(history);
}
