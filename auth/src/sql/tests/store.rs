//! The store: the suite of the trait, and what is particular to a database.

use super::{File, count, memory};
use crate::sql::{SqlStore, migrate_without_users};
use crate::store::{EphemeralStore, Slot};
use crate::testing::MovableClock;
use crate::testing::conformance::{self, Failures, Time};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_memory() -> Result<(), Failures> {
    let pool = memory().await;
    migrate_without_users(&pool).await.unwrap();
    let clock = MovableClock::new();
    conformance::store(SqlStore::new(pool.clone()).clock(clock.clone()), clock.clone()).await?;
    sqlx::raw_sql("ALTER TABLE auth_store RENAME TO staff_store").execute(&pool).await.unwrap();
    conformance::store(SqlStore::new(pool.clone()).table("staff_store").unwrap(), Time::Real).await?;
    assert!(SqlStore::new(pool).table("x y").is_err());
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn in_a_file_with_many_connections() -> Result<(), Failures> {
    let file = File::new();
    let pool = file.pool(8).await;
    migrate_without_users(&pool).await.unwrap();
    let clock = MovableClock::new();
    let store = SqlStore::new(pool.clone()).clock(clock.clone());
    let result = conformance::store(store.clone(), clock).await;
    // What has expired may stay until the next clean-up.
    store.delete_expired(1_000).await.unwrap();
    assert_eq!(count(&pool, "SELECT count(*) FROM auth_store").await, 0, "the suite left something");
    pool.close().await;
    result
}

#[tokio::test]
async fn expired_entries_are_deleted_and_counted() {
    let pool = memory().await;
    migrate_without_users(&pool).await.unwrap();
    let clock = MovableClock::new();
    let store = SqlStore::new(pool.clone()).clock(clock.clone());
    for key in ["a", "b", "c"] {
        store.put(key, b"one", MINUTE).await.unwrap();
    }
    store.put("d", b"one", 2 * MINUTE).await.unwrap();
    store.count("e", 1, MINUTE).await.unwrap();
    assert_eq!(store.delete_expired(10).await.unwrap(), 0);
    clock.advance(MINUTE);
    assert_eq!(store.delete_expired(3).await.unwrap(), 3);
    assert_eq!(store.delete_expired(3).await.unwrap(), 1);
    assert_eq!(count(&pool, "SELECT count(*) FROM auth_store").await, 1);
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    let file = File::new();
    let pool = file.pool(1).await;
    migrate_without_users(&pool).await.unwrap();
    let store = SqlStore::new(pool.clone());
    assert!(store.swap("claim", None, b"", MINUTE).await.unwrap());
    assert!(matches!(store.count("count", 1, MINUTE).await.unwrap(), Slot::Taken { .. }));
    pool.close().await;
    let pool = file.pool(1).await;
    let store = SqlStore::new(pool.clone());
    assert!(!store.swap("claim", None, b"", MINUTE).await.unwrap());
    assert!(matches!(store.count("count", 1, MINUTE).await.unwrap(), Slot::Full { .. }));
    pool.close().await;
}
