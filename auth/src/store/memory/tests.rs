use super::*;
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

/// A clock that a test sets, in Unix seconds.
#[derive(Default)]
struct At(AtomicU64);

impl Clock for At {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.0.load(Ordering::SeqCst))
    }
}

fn store(capacity: usize) -> (MemoryStore, Arc<At>) {
    let clock = Arc::new(At::default());
    (MemoryStore::with(clock.clone(), capacity), clock)
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_value_expires_after_its_ttl() {
    let (store, clock) = store(100);
    store.put("k", b"v", MINUTE).await.unwrap();
    clock.0.store(59, Ordering::SeqCst);
    assert_eq!(store.get("k").await.unwrap().as_deref(), Some(&b"v"[..]));
    clock.0.store(60, Ordering::SeqCst);
    assert_eq!(store.get("k").await.unwrap(), None);
}

#[tokio::test]
async fn a_swap_succeeds_only_if_the_value_is_the_expected_one() {
    let (store, clock) = store(100);
    assert!(store.swap("k", None, b"1", MINUTE).await.unwrap());
    assert!(!store.swap("k", None, b"2", MINUTE).await.unwrap());
    assert!(!store.swap("k", Some(b"0"), b"2", MINUTE).await.unwrap());
    assert!(store.swap("k", Some(b"1"), b"2", MINUTE).await.unwrap());
    clock.0.store(61, Ordering::SeqCst);
    assert!(!store.swap("k", Some(b"2"), b"3", MINUTE).await.unwrap(), "an expired value counts as none");
    assert!(store.swap("k", None, b"3", MINUTE).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_a_hundred_concurrent_swaps_succeeds() {
    let (store, _) = store(100);
    let swaps = (0..100).map(|n: u8| {
        let store = store.clone();
        tokio::spawn(async move { store.swap("k", None, &[n], MINUTE).await.unwrap() })
    });
    let mut won = 0;
    for swap in swaps.collect::<Vec<_>>() {
        won += usize::from(swap.await.unwrap());
    }
    assert_eq!(won, 1);
}

async fn take(store: &MemoryStore, limit: u32) -> Window {
    match store.count("k", limit, MINUTE).await.unwrap() {
        Slot::Taken { window } => window,
        full => panic!("{full:?}"),
    }
}

#[tokio::test]
async fn a_window_begins_with_its_first_attempt_and_has_a_fixed_end() {
    let (store, clock) = store(100);
    let window = take(&store, 2).await;
    clock.0.store(50, Ordering::SeqCst);
    assert_eq!(take(&store, 2).await, window);
    let full = Slot::Full { retry_after: Duration::from_secs(10) };
    assert_eq!(store.count("k", 2, MINUTE).await.unwrap(), full);
    store.give_back("k", window).await.unwrap();
    take(&store, 2).await;
    clock.0.store(60, Ordering::SeqCst);
    assert_ne!(take(&store, 2).await, window);
    store.delete("k").await.unwrap();
    take(&store, 1).await;
}

#[tokio::test]
async fn giving_back_changes_only_the_window_in_which_the_slot_was_taken() {
    let (store, _) = store(100);
    store.give_back("k", Window::new(1)).await.unwrap();
    let deleted = take(&store, 1).await;
    store.delete("k").await.unwrap();
    let window = take(&store, 1).await;
    assert_ne!(window, deleted, "although both begin at the same time");
    store.give_back("k", deleted).await.unwrap();
    assert!(matches!(store.count("k", 1, MINUTE).await.unwrap(), Slot::Full { .. }));
    for _ in 0..2 {
        store.give_back("k", window).await.unwrap();
    }
    take(&store, 1).await;
    assert!(
        matches!(store.count("k", 1, MINUTE).await.unwrap(), Slot::Full { .. }),
        "the count is never below 0"
    );
}

#[tokio::test]
async fn a_lifetime_that_no_clock_can_express_does_not_end() {
    let (store, clock) = store(100);
    store.put("v", b"", Duration::MAX).await.unwrap();
    assert!(matches!(store.count("c", 1, Duration::MAX).await.unwrap(), Slot::Taken { .. }));
    clock.0.store(100 * 365 * 24 * 3600, Ordering::SeqCst);
    assert!(store.get("v").await.unwrap().is_some());
    assert!(matches!(store.count("c", 1, Duration::MAX).await.unwrap(), Slot::Full { .. }));
    store.put("v", b"", Duration::ZERO).await.unwrap();
    assert_eq!(store.get("v").await.unwrap(), None);
}

#[tokio::test]
async fn a_flood_of_new_keys_removes_no_full_counter_and_memory_stays_bounded() {
    let (store, _) = store(160);
    store.count("locked", 1, MINUTE).await.unwrap();
    store.put("ended", b"", MINUTE).await.unwrap();
    for n in 0..10_000 {
        store.count(&format!("flood {n}"), 5, MINUTE).await.unwrap();
    }
    assert!(matches!(store.count("locked", 1, MINUTE).await.unwrap(), Slot::Full { .. }));
    assert!(store.get("ended").await.unwrap().is_some());
    let entries: usize = store.0.shards.iter().map(|shard| shard.lock().unwrap().entries.len()).sum();
    assert!(entries <= 160, "{entries}");
    is_consistent(&store);
}

/// All orders contain exactly the entries that belong to them.
fn is_consistent(store: &MemoryStore) {
    for shard in &store.0.shards {
        let shard = shard.lock().unwrap();
        let order = |order: Order| -> BTreeSet<_> {
            let entries = shard.entries.iter().filter(|(_, entry)| entry.content.order() == order);
            entries.map(|(key, entry)| (entry.ends, *key)).collect()
        };
        for (kind, places) in (0..).zip(&shard.kinds) {
            assert_eq!(places.expendable, order(Order::Expendable(kind)));
        }
        assert_eq!(shard.kept, order(Order::Kept));
        let places: usize = shard.kinds.iter().map(|kind| kind.expendable.len()).sum();
        assert_eq!(places + shard.kept.len(), shard.entries.len());
    }
}

const COUNTER: fn(u8, u32, u32) -> Content =
    |kind, count, limit| Content::Counter { kind, window: 1, count, limit };

#[tokio::test]
async fn of_one_kind_the_counter_that_expires_first_is_evicted() {
    let (store, _) = store(16);
    let mut shard = store.0.shards[0].lock().unwrap();
    let kind = shard.kind_of("k:");
    let counter = |count, limit| COUNTER(kind, count, limit);
    let [value, full, later, first, room] = [1, 2, 3, 4, 5];
    let octets = shard.content_of("k:1", b"");
    shard.insert(value, (0, 1), octets, 4).unwrap();
    shard.insert(full, (0, 2), counter(3, 3), 4).unwrap();
    shard.insert(later, (0, 9), counter(1, 3), 4).unwrap();
    shard.insert(first, (0, 5), counter(1, 3), 4).unwrap();
    for gone in [first, later] {
        assert!(shard.entries.contains_key(&gone));
        shard.insert(gone + 10, (0, 99), counter(3, 3), 4).unwrap();
        assert!(!shard.entries.contains_key(&gone));
    }
    assert!(shard.insert(room, (0, 99), counter(1, 3), 4).is_err());
    // A counter of which an attempt is given back can be evicted again.
    shard.with_counter(full, 0, |_, count, _, _| *count = 2).unwrap();
    shard.insert(room, (0, 99), counter(1, 3), 4).unwrap();
    assert!(!shard.entries.contains_key(&full));
    drop(shard);
    is_consistent(&store);
}

#[tokio::test]
async fn the_kind_with_the_most_entries_gives_way() {
    let (store, _) = store(16);
    let mut shard = store.0.shards[0].lock().unwrap();
    let [of_a_minute, of_a_month] = ["minute:", "month:"].map(|key| shard.kind_of(key));
    shard.insert(1, (0, 60), COUNTER(of_a_minute, 1, 5), 10).unwrap();
    for key in 100..1000 {
        shard.insert(key, (0, 2_592_000 + key), COUNTER(of_a_month, 1, 5), 10).unwrap();
    }
    assert!(shard.entries.contains_key(&1), "nobody can use up the place of counters that end earlier");
    for key in 2000..3000 {
        shard.insert(key, (0, 60), COUNTER(of_a_minute, 1, 5), 10).unwrap();
    }
    let [minutes, months] =
        [of_a_minute, of_a_month].map(|kind| shard.kinds[usize::from(kind)].expendable.len());
    assert!(minutes.abs_diff(months) <= 2 && minutes + months == 10, "{minutes} {months}");
    // What has expired gives way first, also that of a kind with few entries.
    shard.insert(5000, (60, 2_592_000), COUNTER(of_a_month, 1, 5), 10).unwrap();
    assert_eq!(shard.kinds[usize::from(of_a_month)].expendable.len(), months + 1);
    drop(shard);
    is_consistent(&store);
}

#[tokio::test]
async fn a_value_without_which_nothing_is_less_safe_gives_way() {
    let (store, _) = store(16);
    for n in 0..200 {
        store.put(&format!("known-client:{n}"), b"", MINUTE).await.unwrap();
    }
    is_consistent(&store);
}

#[tokio::test]
async fn keys_of_more_kinds_than_there_are_share_the_last_one() {
    let (store, _) = store(16_000);
    for n in 0..200 {
        store.count(&format!("kind {n}:"), 5, MINUTE).await.unwrap();
    }
    assert!(store.0.shards.iter().all(|shard| shard.lock().unwrap().kinds.len() <= KINDS));
    is_consistent(&store);
}

#[tokio::test]
async fn expired_entries_of_all_kinds_are_removed_while_others_are_added() {
    let (store, clock) = store(16_000);
    for n in 0..1000 {
        store.count(&format!("first {}:{n}", n % 5), 5, MINUTE).await.unwrap();
        store.put(&format!("first {}:value {n}", n % 5), b"", MINUTE).await.unwrap();
    }
    clock.0.store(60, Ordering::SeqCst);
    for n in 0..1000 {
        store.count(&format!("second:{n}"), 5, MINUTE).await.unwrap();
    }
    let entries: usize = store.0.shards.iter().map(|shard| shard.lock().unwrap().entries.len()).sum();
    assert_eq!(entries, 1000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_orders_stay_consistent(
        steps in prop::collection::vec((0_u8..6, 0_u8..40, 0_u64..20, 1_u32..4), 1..200),
    ) {
        let (store, clock) = store(32);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut windows = Vec::new();
            for (step, key, seconds, limit) in steps {
                let kind = ["a", "b", "known-client"][usize::from(key) % 3];
                let (key, ttl) = (format!("{kind}:{key}"), Duration::from_secs(seconds));
                match step {
                    0 => drop(store.put(&key, b"v", ttl).await),
                    1 => drop(store.swap(&key, None, b"w", ttl).await),
                    2 => drop(store.delete(&key).await),
                    3 => _ = clock.0.fetch_add(seconds, Ordering::SeqCst),
                    4 => if let Ok(Slot::Taken { window }) = store.count(&key, limit, ttl).await {
                        windows.push((key, window));
                    },
                    _ => if let Some((key, window)) = windows.pop() {
                        store.give_back(&key, window).await.unwrap();
                    },
                }
                is_consistent(&store);
            }
        });
    }
}

#[tokio::test]
async fn a_store_full_of_values_refuses_new_keys() {
    let (store, clock) = store(16);
    let mut refused = 0;
    for n in 0..200 {
        refused += usize::from(store.put(&format!("{n}"), b"", MINUTE).await.is_err());
    }
    assert!(refused >= 184);
    clock.0.store(60, Ordering::SeqCst);
    for n in 0..50 {
        store.get(&format!("{n}")).await.unwrap();
    }
    assert!(store.put("later", b"", MINUTE).await.is_ok());
}
