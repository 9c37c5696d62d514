use super::*;
use crate::crypto::keys::{Purpose, Secret};
use crate::store::MemoryStore;
use crate::testing::MovableClock;
use async_trait::async_trait;
use std::sync::Mutex;

const TTL: Duration = Duration::from_secs(60);

/// The keys of one entry with these secrets, the current one first.
fn entry(secrets: &[u8]) -> EntryKeys {
    let mut keys = secrets.iter().map(|byte| Secret::new(vec![*byte; 32]).derive(Purpose::StoreKeys));
    EntryKeys::new(&KeyRing::new(keys.next().unwrap(), keys.collect()), "prefix", &["7"])
}

/// The secrets 1 and 2, the one whose key comes first in front.
fn in_order() -> [u8; 2] {
    if entry(&[1]).name() < entry(&[2]).name() { [1, 2] } else { [2, 1] }
}

/// A store that records its operations, and fails in the operation with this number.
struct Recording {
    store: MemoryStore,
    operations: Mutex<Vec<&'static str>>,
    fails_at: Option<usize>,
}

impl Recording {
    fn new() -> Self {
        let store = MemoryStore::with(Arc::new(MovableClock::new()), 100);
        Self { store, operations: Mutex::default(), fails_at: None }
    }

    fn record(&self, operation: &'static str) -> Result<(), BoxError> {
        let mut operations = self.operations.lock().unwrap();
        operations.push(operation);
        if self.fails_at == Some(operations.len()) { Err("unreachable".into()) } else { Ok(()) }
    }

    fn operations(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.operations.lock().unwrap())
    }
}

#[async_trait]
impl EphemeralStore for Recording {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.record("get")?;
        self.store.get(key).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.record("put")?;
        self.store.put(key, value, ttl).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.record("swap")?;
        self.store.swap(key, expected, value, ttl).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.record("delete")?;
        self.store.delete(key).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.record("count")?;
        self.store.count(key, limit, window).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.record("give_back")?;
        self.store.give_back(key, window).await
    }
}

/// Whether the attempt was counted.
async fn counts(entry: &EntryKeys, store: &dyn EphemeralStore, limit: u32) -> bool {
    matches!(entry.count(store, limit, TTL).await, Ok(Counted::Taken(_)))
}

#[test]
fn instances_with_the_same_secrets_use_the_keys_in_the_same_order() {
    let keys = entry(&[1, 2, 3]).0;
    assert_eq!(keys.len(), 3);
    for secrets in [[1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        assert_eq!(entry(&secrets).0, keys);
    }
}

#[tokio::test]
async fn with_one_secret_every_operation_is_one_of_the_store() {
    let (store, entry) = (Recording::new(), entry(&[1]));
    assert!(entry.claim(&store, TTL).await.unwrap());
    assert!(entry.exists(&store).await.unwrap());
    assert!(!entry.claim(&store, TTL).await.unwrap());
    entry.delete(&store).await.unwrap();
    assert_eq!(store.operations(), ["swap", "get", "swap", "delete"]);
    let Counted::Taken(slots) = entry.count(&store, 1, TTL).await.unwrap() else { panic!("it is free") };
    assert!(!counts(&entry, &store, 1).await);
    slots.give_back(&store).await.unwrap();
    assert_eq!(store.operations(), ["count", "count", "give_back"]);
    entry.delete(&store).await.unwrap();
    assert!(entry.raise(&store, 7, TTL).await.unwrap());
    assert_eq!(store.operations(), ["delete", "get", "swap"]);
}

#[tokio::test]
async fn a_claim_that_fails_under_a_later_key_leaves_nothing_under_the_earlier_one() {
    let (mut store, [first, second]) = (Recording::new(), in_order());
    assert!(entry(&[second]).claim(&store, TTL).await.unwrap());
    assert!(!entry(&[1, 2]).claim(&store, TTL).await.unwrap());
    assert!(!entry(&[first]).exists(&store).await.unwrap());
    entry(&[second]).delete(&store).await.unwrap();

    store.operations();
    store.fails_at = Some(2);
    assert!(entry(&[1, 2]).claim(&store, TTL).await.is_err());
    assert!(!entry(&[first]).exists(&store).await.unwrap());
}

#[tokio::test]
async fn an_attempt_that_is_refused_under_a_later_key_is_not_counted_under_the_earlier_one() {
    let (mut store, [first, second]) = (Recording::new(), in_order());
    assert!(counts(&entry(&[second]), &store, 1).await);
    assert!(!counts(&entry(&[1, 2]), &store, 1).await);
    assert!(counts(&entry(&[first]), &store, 1).await);
    entry(&[1, 2]).delete(&store).await.unwrap();

    store.operations();
    store.fails_at = Some(2);
    assert!(!counts(&entry(&[1, 2]), &store, 1).await);
    assert!(counts(&entry(&[first]), &store, 1).await);
}

#[tokio::test]
async fn a_number_must_be_higher_than_those_of_all_keys() {
    let (store, [first, second]) = (Recording::new(), in_order());
    assert!(entry(&[first]).raise(&store, 5, TTL).await.unwrap());
    assert!(entry(&[second]).raise(&store, 7, TTL).await.unwrap());
    let both = entry(&[1, 2]);
    for (number, is_raised) in [(5, false), (6, false), (7, false), (8, true), (8, false), (9, true)] {
        assert_eq!(both.raise(&store, number, TTL).await.unwrap(), is_raised, "{number}");
    }
    for secret in [1, 2] {
        assert!(!entry(&[secret]).raise(&store, 9, TTL).await.unwrap());
        assert!(entry(&[secret]).raise(&store, 10, TTL).await.unwrap());
    }
}

#[tokio::test]
async fn what_is_written_is_there_under_each_key_and_is_deleted_under_each() {
    let store = Recording::new();
    assert!(entry(&[1, 2, 3]).claim(&store, TTL).await.unwrap());
    for secret in [1, 2, 3] {
        assert!(entry(&[secret]).exists(&store).await.unwrap());
        assert!(!entry(&[secret, 4]).claim(&store, TTL).await.unwrap());
    }
    entry(&[3, 1, 2]).delete(&store).await.unwrap();
    for secret in [1, 2, 3] {
        assert!(!entry(&[secret]).exists(&store).await.unwrap());
    }
}
