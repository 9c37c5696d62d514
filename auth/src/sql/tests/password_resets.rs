//! At most one token for each address, the newest.

use super::{memory, other, run};
use crate::repository::PasswordResetRepository;
use crate::sql::{SqlPasswordResets, migrate_without_users};
use std::time::{Duration, SystemTime};

const TIME: SystemTime = SystemTime::UNIX_EPOCH;

#[tokio::test]
async fn the_newest_token_of_an_address_is_the_only_one() {
    let pool = memory().await;
    migrate_without_users(&pool).await.unwrap();
    let resets = SqlPasswordResets::new(pool);
    assert!(resets.find_by_email("a@b.co").await.unwrap().is_none());

    let now = SystemTime::now();
    resets.create_token("a@b.co", "first", now).await.unwrap();
    resets.create_token("c@d.co", "another's", now).await.unwrap();
    // The clock was set back in between.
    let later = TIME + Duration::new(1_000_000_000, 1);
    resets.create_token("a@b.co", "second", later).await.unwrap();
    let stored = resets.find_by_email("a@b.co").await.unwrap().unwrap();
    assert_eq!((stored.token.as_str(), stored.created_at), ("second", later));

    resets.delete_by_email("a@b.co").await.unwrap();
    resets.delete_by_email("a@b.co").await.unwrap();
    assert!(resets.find_by_email("a@b.co").await.unwrap().is_none());
    assert_eq!(resets.find_by_email("c@d.co").await.unwrap().unwrap().created_at, now);
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
