//! The library's migrations together with a host's own, in either order and repeatedly.

use super::{count, memory, run};
use crate::sql::{TABLES, migrate, migrate_without_users};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{SqlSafeStr, SqlitePool};

/// A host whose first migration has the same number as the library's.
async fn migrate_host(pool: &SqlitePool) {
    let sql = "CREATE TABLE plans (id INTEGER PRIMARY KEY)".into_sql_str();
    let migration = Migration::new(1, "plans".into(), MigrationType::Simple, sql, false);
    Migrator::with_migrations(vec![migration]).run(pool).await.unwrap();
}

async fn has(pool: &SqlitePool, table: &str) -> bool {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?";
    let found: i64 = sqlx::query_scalar(sql).bind(table).fetch_one(pool).await.unwrap();
    found == 1
}

#[tokio::test]
async fn the_host_can_run_its_own_migrations_before_or_after() {
    let pool = memory().await;
    migrate(&pool).await.unwrap();
    migrate_host(&pool).await;
    migrate(&pool).await.unwrap();
    assert!(has(&pool, "users").await && has(&pool, "password_resets").await && has(&pool, "plans").await);

    let pool = memory().await;
    migrate_host(&pool).await;
    migrate(&pool).await.unwrap();
    migrate_host(&pool).await;
    assert!(has(&pool, "users").await && has(&pool, "password_resets").await && has(&pool, "plans").await);
}

#[tokio::test]
async fn the_two_functions_may_be_called_in_either_order() {
    let pool = memory().await;
    migrate_without_users(&pool).await.unwrap();
    assert!(!has(&pool, "users").await && has(&pool, "password_resets").await);
    migrate(&pool).await.unwrap();
    migrate_without_users(&pool).await.unwrap();
    migrate(&pool).await.unwrap();
    assert!(has(&pool, "users").await);
    assert_eq!(count(&pool, "SELECT count(*) FROM _auth_migrations").await, TABLES.len() as i64);
}

#[tokio::test]
async fn a_hosts_own_table_of_users_is_left_alone() {
    let pool = memory().await;
    run(&pool, "CREATE TABLE users (id INTEGER PRIMARY KEY)").await;
    let error = migrate(&pool).await.unwrap_err().to_string();
    assert!(error.contains("table users already exists"), "{error}");
    assert!(!has(&pool, "password_resets").await && !has(&pool, "_auth_migrations").await);
    migrate_without_users(&pool).await.unwrap();
    assert!(has(&pool, "password_resets").await);
}
