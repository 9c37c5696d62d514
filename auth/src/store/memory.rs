//! The store of a single instance.

use super::{EphemeralStore, Slot, Window};
use crate::clock::{Clock, SystemClock};
use crate::error::BoxError;
use async_trait::async_trait;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of maps over which the keys are spread. Each has a lock, which is never held across an `.await`.
const SHARDS: usize = 16;
/// The default capacity in entries. A full store takes about 100 MiB.
const CAPACITY: usize = 500_000;
/// The end of an entry whose time to live no clock can express: the year 9999.
const FAR_FUTURE: Duration = Duration::from_secs(253_402_300_799);
/// How many keys each operation checks for expiry. Two are enough for any rate of new entries.
const SWEEP: usize = 8;

/// An [`EphemeralStore`] in the memory of one process; the default. A restart clears it: attempt counters
/// and used one-time codes are forgotten.
///
/// Its size is bounded. If it is full, a new key removes the counter that expires first among those that have not
/// reached their limit. Values and full counters are never removed; if only these remain, the store returns an error
/// and the request is refused.
#[derive(Clone)]
pub struct MemoryStore(Arc<Inner>);

struct Inner {
    clock: Arc<dyn Clock>,
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
    shard_capacity: usize,
}

#[derive(Default)]
struct Shard {
    entries: HashMap<String, Entry>,
    /// The keys in the order in which `sweep` checks them. An entry may have been removed or replaced since.
    queue: std::collections::VecDeque<String>,
    /// How many windows have begun in this shard.
    windows: u64,
}

struct Entry {
    ends: SystemTime,
    content: Content,
}

enum Content {
    Value(Vec<u8>),
    Counter { window: Window, count: u32, limit: u32 },
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// A store for 500,000 entries with the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Arc::new(SystemClock), CAPACITY)
    }

    /// A store with this clock, for `capacity` entries (rounded up to a multiple of 16).
    #[must_use]
    pub fn with(clock: Arc<dyn Clock>, capacity: usize) -> Self {
        let shards = std::array::from_fn(|_| Mutex::default());
        let shard_capacity = capacity.div_ceil(SHARDS).max(1);
        Self(Arc::new(Inner { clock, hasher: RandomState::new(), shards, shard_capacity }))
    }

    pub(crate) fn on_clock(clock: Arc<dyn Clock>) -> Self {
        Self::with(clock, CAPACITY)
    }

    /// Locks the shard of a key and removes some of its expired entries. Returns the shard and the current time.
    fn shard(&self, key: &str) -> (MutexGuard<'_, Shard>, SystemTime) {
        let index = self.0.hasher.hash_one(key) as usize % SHARDS;
        #[expect(clippy::indexing_slicing, reason = "a remainder of the array's own length")]
        let shard = &self.0.shards[index];
        // No operation panics in the middle of a change, so the data of a poisoned lock is consistent.
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.0.clock.now();
        shard.sweep(now);
        (shard, now)
    }
}

impl Shard {
    /// The entry with this key, if it has not expired.
    fn live(&mut self, key: &str, now: SystemTime) -> Option<&mut Entry> {
        self.entries.get_mut(key).filter(|entry| entry.ends > now)
    }

    /// Sets the entry with this key. A new key in a full shard evicts a counter.
    fn insert(&mut self, key: &str, entry: Entry, capacity: usize) -> Result<(), BoxError> {
        if let Some(current) = self.entries.get_mut(key) {
            *current = entry;
            return Ok(());
        }
        if self.entries.len() >= capacity && !self.evict() {
            return Err("the in-memory store is full of entries that must not be forgotten".into());
        }
        self.queue.push_back(key.to_owned());
        self.entries.insert(key.to_owned(), entry);
        Ok(())
    }

    /// Checks the first few keys of the queue: removes expired entries and moves the others to the end.
    fn sweep(&mut self, now: SystemTime) {
        for _ in 0..SWEEP.min(self.queue.len()) {
            let Some(key) = self.queue.pop_front() else { return };
            match self.entries.get(&key) {
                Some(entry) if entry.ends > now => self.queue.push_back(key),
                Some(_) => drop(self.entries.remove(&key)),
                None => {}
            }
        }
    }

    /// Removes the counter that expires first among those that are not full. Returns whether it removed one.
    fn evict(&mut self) -> bool {
        let expendable = self.entries.iter().filter(|(_, entry)| match entry.content {
            Content::Counter { count, limit, .. } => count < limit,
            Content::Value(_) => false,
        });
        let first = expendable.min_by_key(|(_, entry)| entry.ends).map(|(key, _)| key.clone());
        first.is_some_and(|key| self.entries.remove(&key).is_some())
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for MemoryStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let (mut shard, now) = self.shard(key);
        Ok(shard.live(key, now).and_then(|entry| match &entry.content {
            Content::Value(value) => Some(value.clone()),
            Content::Counter { .. } => None,
        }))
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let (mut shard, now) = self.shard(key);
        let entry = Entry { ends: end(now, ttl), content: Content::Value(value.to_vec()) };
        shard.insert(key, entry, self.0.shard_capacity)
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let (mut shard, now) = self.shard(key);
        let current = shard.live(key, now).and_then(|entry| match &entry.content {
            Content::Value(value) => Some(value.as_slice()),
            Content::Counter { .. } => None,
        });
        if current != expected {
            return Ok(false);
        }
        let entry = Entry { ends: end(now, ttl), content: Content::Value(value.to_vec()) };
        shard.insert(key, entry, self.0.shard_capacity).map(|()| true)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let (mut shard, _) = self.shard(key);
        shard.entries.remove(key);
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (mut shard, now) = self.shard(key);
        if let Some(Entry { ends, content: Content::Counter { window, count, limit: of } }) =
            shard.live(key, now)
        {
            *of = limit;
            if *count >= limit {
                return Ok(Slot::Full { retry_after: ends.duration_since(now).unwrap_or_default() });
            }
            *count += 1;
            return Ok(Slot::Taken { window: *window });
        }
        shard.windows += 1;
        let (ends, window) = (end(now, window), Window::new(shard.windows));
        let entry = Entry { ends, content: Content::Counter { window, count: 1, limit } };
        shard.insert(key, entry, self.0.shard_capacity).map(|()| Slot::Taken { window })
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        let (mut shard, now) = self.shard(key);
        match shard.live(key, now) {
            Some(Entry { content: Content::Counter { window: current, count, .. }, .. })
                if *current == window =>
            {
                *count = count.saturating_sub(1);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The end of a time to live that starts now.
fn end(now: SystemTime, ttl: Duration) -> SystemTime {
    now.checked_add(ttl).unwrap_or(UNIX_EPOCH + FAR_FUTURE)
}

#[cfg(test)]
mod tests;
