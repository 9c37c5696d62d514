//! The session repository: the suite of the trait, a restart, and the indexes.

use super::{File, count, memory};
use crate::repository::{SessionKind, SessionRecord, SessionRepository};
use crate::sql::{SqlSessions, migrate_without_users};
use crate::testing::conformance::{self, Failures};
use sqlx::Row;
use std::time::{Duration, SystemTime};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_memory() -> Result<(), Failures> {
    let pool = memory().await;
    migrate_without_users(&pool).await.unwrap();
    conformance::sessions(SqlSessions::new(pool.clone())).alone().await?;
    sqlx::raw_sql("ALTER TABLE auth_sessions RENAME TO staff_sessions").execute(&pool).await.unwrap();
    conformance::sessions(SqlSessions::new(pool.clone()).table("staff_sessions").unwrap()).await?;
    assert!(SqlSessions::new(pool).table("x; DROP").is_err());
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_a_file_with_many_connections() -> Result<(), Failures> {
    let file = File::new();
    let pool = file.pool(8).await;
    migrate_without_users(&pool).await.unwrap();
    let result = conformance::sessions(SqlSessions::new(pool.clone())).await;
    assert_eq!(count(&pool, "SELECT count(*) FROM auth_sessions").await, 0, "the suite left something");
    pool.close().await;
    result
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    let (file, time) = (File::new(), SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000));
    let pool = file.pool(1).await;
    migrate_without_users(&pool).await.unwrap();
    let session = SessionRecord::new("1", "ada", SessionKind::Bearer, "state", time, time);
    SqlSessions::new(pool.clone()).create(session.clone()).await.unwrap();
    pool.close().await;
    let pool = file.pool(1).await;
    assert!(SqlSessions::new(pool.clone()).find("1").await.unwrap() == Some(session));
    pool.close().await;
}

/// SQLite says `SCAN` when it reads a whole table.
#[tokio::test]
async fn every_statement_about_few_sessions_uses_an_index() {
    let pool = memory().await;
    migrate_without_users(&pool).await.unwrap();
    for statement in [
        "SELECT id FROM auth_sessions WHERE id = ''",
        "SELECT id FROM auth_sessions WHERE user_id = '' AND kind IN ('bearer', 'browser')",
        "UPDATE auth_sessions SET state = '', expires_at = 0 WHERE id = '' AND state = ''",
        "UPDATE auth_sessions SET last_used_at = 0, client = '', user_agent = '' WHERE id = ''",
        "DELETE FROM auth_sessions WHERE id = ''",
        "DELETE FROM auth_sessions WHERE kind IN ('bearer', 'browser') AND user_id = '' AND id <> ''",
        "DELETE FROM auth_sessions WHERE id IN (SELECT id FROM auth_sessions WHERE expires_at <= 0 LIMIT 1000)",
    ] {
        let sql = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        let plan = sqlx::query(sql).fetch_all(&pool).await.unwrap();
        let steps: Vec<String> = plan.iter().map(|step| step.get("detail")).collect();
        assert!(!steps.iter().any(|step| step.starts_with("SCAN")), "{statement}: {steps:?}");
    }
}
