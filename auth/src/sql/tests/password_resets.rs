//! At most one token for each address, the newest.

use super::{File, count, memory, other, run};
use crate::repository::PasswordResetRepository;
use crate::sql::{SqlPasswordResets, migrate_without_users};
use crate::testing::conformance::{self, Failures};
use std::time::SystemTime;

const TIME: SystemTime = SystemTime::UNIX_EPOCH;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_memory() -> Result<(), Failures> {
    let pool = memory().await;
    migrate_without_users(&pool).await.unwrap();
    conformance::password_resets(SqlPasswordResets::new(pool)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_a_file_with_many_connections() -> Result<(), Failures> {
    let file = File::new();
    let pool = file.pool(8).await;
    migrate_without_users(&pool).await.unwrap();
    let result = conformance::password_resets(SqlPasswordResets::new(pool.clone())).await;
    assert_eq!(count(&pool, "SELECT count(*) FROM password_resets").await, 0, "the suite left something");
    pool.close().await;
    result
}

#[tokio::test]
async fn a_host_can_use_its_own_table() {
    let pool = memory().await;
    run(&pool, "CREATE TABLE resets (email TEXT PRIMARY KEY, token TEXT, created_at TEXT)").await;
    let resets = SqlPasswordResets::new(pool).table("resets").unwrap();
    resets.create_token("a@b.co", "token", TIME).await.unwrap();
    assert_eq!(resets.find_by_email("a@b.co").await.unwrap().unwrap().created_at, TIME);
    assert!(resets.table("resets; --").is_err());
}

#[tokio::test]
async fn a_missing_table_is_an_error() {
    let resets = SqlPasswordResets::new(memory().await);
    assert!(other(resets.find_by_email("a@b.co").await).contains("no such table"));
    assert!(other(resets.create_token("a@b.co", "token", TIME).await).contains("no such table"));
    assert!(other(resets.delete_by_email("a@b.co").await).contains("no such table"));
}
