//! The store of a single instance.

use super::{EphemeralStore, Slot};
use crate::clock::{Clock, SystemClock};
use crate::error::BoxError;
use async_trait::async_trait;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// The keys are spread over so many maps, each behind a lock that is never held across an `.await`.
const SHARDS: usize = 16;
/// How many entries there may be by default. A full store takes some 100 MiB.
const CAPACITY: usize = 500_000;
/// How many expired entries a write may look for. Two a write keep up with any rate of new ones.
const SWEEP: usize = 8;

/// An [`EphemeralStore`] in the memory of one process, the default. A restart forgets everything in it: sessions that
/// were logged out are then refused no more, until their tokens expire.
///
/// Its size is bounded. A flood of new keys drives out counters that are not full, those that end first before
/// others; full counters and values stay, and when nothing else is left the store reports an error, which
/// refuses the request.
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
    /// Keys in the order they came in, some perhaps gone or renewed since: where sweeping goes on.
    queue: std::collections::VecDeque<String>,
}

struct Entry {
    ends: SystemTime,
    content: Content,
}

enum Content {
    Value(Vec<u8>),
    Counter { count: u32, limit: u32 },
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// A store for half a million entries, on the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Arc::new(SystemClock), CAPACITY)
    }

    /// A store on a clock of its own, for so many entries (rounded up to a multiple of 16).
    #[must_use]
    pub fn with(clock: Arc<dyn Clock>, capacity: usize) -> Self {
        let shards = std::array::from_fn(|_| Mutex::default());
        let shard_capacity = capacity.div_ceil(SHARDS).max(1);
        Self(Arc::new(Inner { clock, hasher: RandomState::new(), shards, shard_capacity }))
    }

    pub(crate) fn on_clock(clock: Arc<dyn Clock>) -> Self {
        Self::with(clock, CAPACITY)
    }

    /// The shard of a key, locked, with some of its expired entries removed, and the time.
    fn shard(&self, key: &str) -> (MutexGuard<'_, Shard>, SystemTime) {
        let index = self.0.hasher.hash_one(key) as usize % SHARDS;
        #[expect(clippy::indexing_slicing, reason = "a remainder of the array's own length")]
        let shard = &self.0.shards[index];
        // No operation panics half-way through a change, so a poisoned lock guards sound data.
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.0.clock.now();
        shard.sweep(now);
        (shard, now)
    }
}

impl Shard {
    /// The entry under a key, if its time is not over.
    fn live(&mut self, key: &str, now: SystemTime) -> Option<&mut Entry> {
        self.entries.get_mut(key).filter(|entry| entry.ends > now)
    }

    /// Puts an entry under a key, making room when it is new.
    fn insert(&mut self, key: &str, entry: Entry, capacity: usize) -> Result<(), BoxError> {
        if let Some(present) = self.entries.get_mut(key) {
            *present = entry;
            return Ok(());
        }
        if self.entries.len() >= capacity && !self.evict() {
            return Err("the in-memory store is full of entries that must not be forgotten".into());
        }
        self.queue.push_back(key.to_owned());
        self.entries.insert(key.to_owned(), entry);
        Ok(())
    }

    /// Looks at the oldest few keys: expired ones go, the others go to the end of the queue.
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

    /// Drops the counter that ends first of those that are not full. Says whether there was one.
    fn evict(&mut self) -> bool {
        let expendable = self.entries.iter().filter(|(_, entry)| match entry.content {
            Content::Counter { count, limit } => count < limit,
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
        let entry = Entry { ends: now + ttl, content: Content::Value(value.to_vec()) };
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
        let present = shard.live(key, now).and_then(|entry| match &entry.content {
            Content::Value(value) => Some(value.as_slice()),
            Content::Counter { .. } => None,
        });
        if present != expected {
            return Ok(false);
        }
        let entry = Entry { ends: now + ttl, content: Content::Value(value.to_vec()) };
        shard.insert(key, entry, self.0.shard_capacity).map(|()| true)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let (mut shard, _) = self.shard(key);
        shard.entries.remove(key);
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (mut shard, now) = self.shard(key);
        if let Some(Entry { ends, content: Content::Counter { count, limit: of } }) = shard.live(key, now) {
            *of = limit;
            if *count >= limit {
                return Ok(Slot::Full { retry_after: ends.duration_since(now).unwrap_or_default() });
            }
            *count += 1;
            return Ok(Slot::Taken);
        }
        let entry = Entry { ends: now + window, content: Content::Counter { count: 1, limit } };
        shard.insert(key, entry, self.0.shard_capacity).map(|()| Slot::Taken)
    }

    async fn give_back(&self, key: &str) -> Result<(), BoxError> {
        let (mut shard, now) = self.shard(key);
        if let Some(Entry { content: Content::Counter { count, .. }, .. }) = shard.live(key, now) {
            *count = count.saturating_sub(1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
