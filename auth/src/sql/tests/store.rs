//! The store does the same as the one in memory, also with many connections and after a restart.

use super::on_each;
use crate::clock::Clock;
use crate::sql::{SqlStore, Table, migrate_only};
use crate::store::{EphemeralStore, MemoryStore, Slot, Window};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock that a test moves, in milliseconds.
#[derive(Clone)]
struct Moved(Arc<AtomicU64>);

impl Moved {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_795_000_000_123)))
    }

    fn advance(&self, milliseconds: u64) {
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Clock for Moved {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

const MINUTE: Duration = Duration::from_secs(60);

async fn take(store: &dyn EphemeralStore) -> Window {
    match store.count("c", 2, MINUTE).await.unwrap() {
        Slot::Taken { window } => window,
        full => panic!("{full:?}"),
    }
}

async fn is_full(store: &dyn EphemeralStore) -> bool {
    matches!(store.count("c", 2, MINUTE).await.unwrap(), Slot::Full { .. })
}

async fn does_what_it_should(store: &dyn EphemeralStore, clock: &Moved) {
    // Values.
    assert_eq!(store.get("a").await.unwrap(), None);
    store.put("a", b"", MINUTE).await.unwrap();
    assert_eq!(store.get("a").await.unwrap().as_deref(), Some(&b""[..]));
    store.put("a", b"one\0\xff", MINUTE).await.unwrap();
    assert!(!store.swap("a", None, b"two", MINUTE).await.unwrap());
    assert!(!store.swap("a", Some(b"another"), b"two", MINUTE).await.unwrap());
    assert!(store.swap("a", Some(b"one\0\xff"), b"two", MINUTE).await.unwrap());
    assert!(!store.swap("b", Some(b""), b"two", MINUTE).await.unwrap());
    clock.advance(59_999);
    assert_eq!(store.get("a").await.unwrap().as_deref(), Some(&b"two"[..]));
    clock.advance(1);
    assert_eq!(store.get("a").await.unwrap(), None);
    assert!(!store.swap("a", Some(b"two"), b"three", MINUTE).await.unwrap());
    assert!(store.swap("a", None, b"three", MINUTE).await.unwrap());
    assert!(!store.swap("a", None, b"four", MINUTE).await.unwrap());
    store.delete("a").await.unwrap();
    store.delete("a").await.unwrap();
    assert_eq!(store.get("a").await.unwrap(), None);

    // A counter: the first attempt begins the window, and a full one does not change.
    let first = take(store).await;
    clock.advance(20_000);
    assert_eq!(take(store).await, first, "the same window");
    for _ in 0..3 {
        let retry_after = Duration::from_secs(40);
        assert_eq!(store.count("c", 2, MINUTE).await.unwrap(), Slot::Full { retry_after });
    }
    store.give_back("c", first).await.unwrap();
    take(store).await;
    assert!(is_full(store).await);
    // Another window gives nothing back.
    for other in [first.get() - 1, first.get() + 1, 0, u64::MAX] {
        store.give_back("c", Window::new(other)).await.unwrap();
        assert!(is_full(store).await, "{other}");
    }
    clock.advance(40_000);
    store.give_back("c", first).await.unwrap();
    store.give_back("nothing", first).await.unwrap();
    let second = take(store).await;
    assert_ne!(second, first);
    take(store).await;
    store.give_back("c", first).await.unwrap();
    assert!(is_full(store).await);
    // The count does not fall below 0.
    for _ in 0..5 {
        store.give_back("c", second).await.unwrap();
    }
    for _ in 0..2 {
        take(store).await;
    }
    assert!(is_full(store).await);
    store.delete("c").await.unwrap();
    take(store).await;
    store.delete("c").await.unwrap();
}

#[tokio::test]
async fn in_a_database() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Store]).await.unwrap();
        let clock = Moved::new();
        let store = SqlStore::new(tested.database.clone()).clock(clock.clone());
        does_what_it_should(&store, &clock).await;
        // A time to live that no clock reaches.
        store.put("a", b"one", Duration::MAX).await.unwrap();
        store.put("b", b"two", Duration::ZERO).await.unwrap();
        assert_eq!(store.get("a").await.unwrap().as_deref(), Some(&b"one"[..]));
        assert_eq!(store.get("b").await.unwrap(), None);
        store.put("c", b"three", MINUTE).await.unwrap();
        assert_eq!(store.delete_expired(10).await.unwrap(), 1);
        clock.advance(60_000);
        assert_eq!(store.delete_expired(10).await.unwrap(), 1);
        assert!(store.get("a").await.unwrap().is_some());
        assert!(store.table("x y").is_err());
    })
    .await;
}

#[tokio::test]
async fn in_memory() {
    let clock = Moved::new();
    does_what_it_should(&MemoryStore::with(Arc::new(clock.clone()), 1000), &clock).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_thirty_concurrent_calls_as_many_succeed_as_may() {
    on_each(async |tested| {
        migrate_only(&tested.database, &[Table::Store]).await.unwrap();
        let store = SqlStore::new(tested.database.clone());
        for round in 0..20 {
            let calls = (0..30).map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    let claimed = store.swap(&format!("claim {round}"), None, b"", MINUTE).await.unwrap();
                    let slot = store.count(&format!("count {round}"), 7, MINUTE).await.unwrap();
                    (claimed, matches!(slot, Slot::Taken { .. }))
                })
            });
            let calls: Vec<_> = calls.collect();
            let (mut claims, mut slots) = (0, 0);
            for call in calls {
                let (claimed, taken) = call.await.unwrap();
                claims += usize::from(claimed);
                slots += usize::from(taken);
            }
            assert_eq!((claims, slots), (1, 7), "round {round}");
        }
        // Another process finds what the first one has written.
        let store = SqlStore::new(tested.another(1).await);
        assert!(!store.swap("claim 0", None, b"", MINUTE).await.unwrap());
        assert!(matches!(store.count("count 0", 7, MINUTE).await.unwrap(), Slot::Full { .. }));
    })
    .await;
}
