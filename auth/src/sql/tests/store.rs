//! What another process finds, what is cleaned up, and a table of another name.

use super::on_each;
use crate::sql::{SqlStore, Table, migrate_only};
use crate::store::{EphemeralStore, Slot};
use crate::testing::MovableClock;
use crate::testing::databases::Kind;
use sqlx::{Connection, PgConnection};
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

/// A counter begins anew while the clean-up waits for its row: PostgreSQL has read the previous row by then.
#[tokio::test]
async fn an_entry_that_begins_anew_beside_the_clean_up_is_not_deleted() {
    on_each(async |tested| {
        if tested.kind != Kind::Postgres {
            return;
        }
        migrate_only(&tested.database, &[Table::AuthStore]).await.unwrap();
        let clock = MovableClock::new();
        let store = SqlStore::new(tested.database.clone()).clock(clock.clone());
        store.count("a", 1, MINUTE).await.unwrap();
        clock.advance(MINUTE);
        let mut connection = PgConnection::connect(&tested.url()).await.unwrap();
        let mut transaction = connection.begin().await.unwrap();
        sqlx::query("UPDATE auth_store SET ends_at = ends_at + 60000")
            .execute(&mut *transaction)
            .await
            .unwrap();
        let cleaner = store.clone();
        let deleted = tokio::spawn(async move { cleaner.delete_expired(10).await.unwrap() });
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted \
                     AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())";
        while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut *transaction).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
        transaction.commit().await.unwrap();
        assert_eq!(deleted.await.unwrap(), 0);
        assert!(matches!(store.count("a", 1, MINUTE).await.unwrap(), Slot::Full { .. }));
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
