//! The store: the suite of the trait, and what is particular to a database.

use super::on_each;
use crate::sql::{SqlStore, Table, migrate_only};
use crate::store::{EphemeralStore, Slot};
use crate::testing::MovableClock;
use crate::testing::conformance::{self, Time};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_suite_of_the_trait_succeeds() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Store]).await.unwrap();
        let clock = MovableClock::new();
        let store = SqlStore::new(tested.database.clone()).clock(clock.clone());
        conformance::store(store.clone(), clock).await.unwrap();
        // What has expired may stay until the next clean-up.
        store.delete_expired(1_000).await.unwrap();
        assert_eq!(tested.count("auth_store").await, 0, "the suite left something");
        tested.run("ALTER TABLE auth_store RENAME TO staff_store").await;
        let renamed = SqlStore::new(tested.database.clone()).table("staff_store").unwrap();
        conformance::store(renamed.clone(), Time::Real).await.unwrap();
        assert!(renamed.table("x y").is_err());
    })
    .await;
}

#[tokio::test]
async fn expired_entries_are_deleted_and_counted() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Store]).await.unwrap();
        let clock = MovableClock::new();
        let store = SqlStore::new(tested.database.clone()).clock(clock.clone());
        for key in ["a", "b", "c"] {
            store.put(key, b"one", MINUTE).await.unwrap();
        }
        store.put("d", b"one", 2 * MINUTE).await.unwrap();
        store.count("e", 1, MINUTE).await.unwrap();
        assert_eq!(store.delete_expired(10).await.unwrap(), 0);
        clock.advance(MINUTE);
        assert_eq!(store.delete_expired(3).await.unwrap(), 3);
        assert_eq!(store.delete_expired(3).await.unwrap(), 1);
        assert_eq!(tested.count("auth_store").await, 1);
    })
    .await;
}

#[tokio::test]
async fn another_process_finds_what_the_first_one_has_written() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Store]).await.unwrap();
        let store = SqlStore::new(tested.database.clone());
        assert!(store.swap("claim", None, b"", MINUTE).await.unwrap());
        assert!(matches!(store.count("count", 1, MINUTE).await.unwrap(), Slot::Taken { .. }));
        let another = SqlStore::new(tested.another(1).await);
        assert!(!another.swap("claim", None, b"", MINUTE).await.unwrap());
        assert!(matches!(another.count("count", 1, MINUTE).await.unwrap(), Slot::Full { .. }));
    })
    .await;
}
