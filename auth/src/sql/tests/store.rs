//! What another process finds, what is cleaned up, and a table of another name.

use super::on_each;
use crate::sql::{SqlStore, Table, migrate_only};
use crate::store::{EphemeralStore, Slot};
use crate::testing::MovableClock;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn expired_entries_are_deleted_and_counted() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::AuthStore]).await.unwrap();
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
        migrate_only(&tested.database, &[Table::AuthStore]).await.unwrap();
        let store = SqlStore::new(tested.database.clone());
        assert!(store.swap("claim", None, b"", MINUTE).await.unwrap());
        assert!(matches!(store.count("count", 1, MINUTE).await.unwrap(), Slot::Taken { .. }));
        let restarted = SqlStore::new(tested.another(1).await);
        assert!(!restarted.swap("claim", None, b"", MINUTE).await.unwrap());
        assert!(matches!(restarted.count("count", 1, MINUTE).await.unwrap(), Slot::Full { .. }));

        tested.run("ALTER TABLE auth_store RENAME TO staff_store").await;
        let renamed = restarted.table("staff_store").unwrap();
        assert!(!renamed.swap("claim", None, b"", MINUTE).await.unwrap());
        assert!(renamed.table("x y").is_err());
    })
    .await;
}
