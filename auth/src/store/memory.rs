//! The store of a single instance.

use super::{EphemeralStore, Slot, Window};
use crate::clock::{Clock, SystemClock};
use crate::error::BoxError;
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of maps over which the keys are spread. Each has a lock, which is never held across an `.await`.
const SHARDS: usize = 16;
/// The default capacity in entries. A full store takes about 100 MiB.
const CAPACITY: usize = 500_000;
/// The end of an entry whose time to live no clock can express: the year 9999.
const FAR_FUTURE: Duration = Duration::from_secs(253_402_300_799);
/// How many expired entries each operation removes at most. Two are enough for any rate of new entries.
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

/// A part of the entries. No operation looks at more than a few of them.
#[derive(Default)]
struct Shard {
    entries: HashMap<Arc<str>, Entry>,
    /// The keys of all entries in the order in which they expire.
    by_end: BTreeMap<Place, Arc<str>>,
    /// The places of the entries that a new key can evict: the counters that have not reached their limit.
    expendable: BTreeSet<Place>,
    /// How many entries were ever written.
    written: u64,
    /// How many windows have begun in this shard.
    windows: u64,
}

/// The end of an entry, and a number that makes it unique.
type Place = (SystemTime, u64);

struct Entry {
    place: Place,
    content: Content,
}

enum Content {
    Value(Vec<u8>),
    Counter { window: Window, count: u32, limit: u32 },
}

impl Content {
    const fn is_expendable(&self) -> bool {
        matches!(self, Self::Counter { count, limit, .. } if *count < *limit)
    }
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
    /// The value under this key, if it has not expired.
    fn value(&self, key: &str, now: SystemTime) -> Option<&[u8]> {
        match self.entries.get(key) {
            Some(Entry { place: (ends, _), content: Content::Value(value) }) if *ends > now => Some(value),
            _ => None,
        }
    }

    /// Changes the counter under this key, if it has not expired. The function gets the window, the count, the limit and the
    /// end.
    fn with_counter<T>(
        &mut self,
        key: &str,
        now: SystemTime,
        change: impl FnOnce(Window, &mut u32, &mut u32, SystemTime) -> T,
    ) -> Option<T> {
        let Entry { place, content } = self.entries.get_mut(key).filter(|entry| entry.place.0 > now)?;
        let Content::Counter { window, count, limit } = content else { return None };
        let result = change(*window, count, limit, place.0);
        match content.is_expendable() {
            true => self.expendable.insert(*place),
            false => self.expendable.remove(place),
        };
        Some(result)
    }

    /// Sets the entry with this key. A new key in a full shard evicts a counter.
    fn insert(
        &mut self,
        key: &str,
        ends: SystemTime,
        content: Content,
        capacity: usize,
    ) -> Result<(), BoxError> {
        let key = match self.remove(key) {
            Some(key) => key,
            None if self.entries.len() < capacity || self.evict() => key.into(),
            None => return Err("the in-memory store is full of entries that must not be forgotten".into()),
        };
        self.written += 1;
        let place = (ends, self.written);
        if content.is_expendable() {
            self.expendable.insert(place);
        }
        self.by_end.insert(place, Arc::clone(&key));
        self.entries.insert(key, Entry { place, content });
        Ok(())
    }

    /// Removes an entry and returns its key.
    fn remove(&mut self, key: &str) -> Option<Arc<str>> {
        let (key, Entry { place, .. }) = self.entries.remove_entry(key)?;
        self.by_end.remove(&place);
        self.expendable.remove(&place);
        Some(key)
    }

    /// Removes a few expired entries.
    fn sweep(&mut self, now: SystemTime) {
        for _ in 0..SWEEP {
            match self.by_end.first_key_value() {
                Some(((ends, _), key)) if *ends <= now => {
                    let key = Arc::clone(key);
                    self.remove(&key);
                }
                _ => return,
            }
        }
    }

    /// Removes the counter that expires first among those that are not full. Returns whether it removed one.
    fn evict(&mut self) -> bool {
        let key = self.expendable.first().and_then(|place| self.by_end.get(place)).map(Arc::clone);
        key.is_some_and(|key| self.remove(&key).is_some())
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for MemoryStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let (shard, now) = self.shard(key);
        Ok(shard.value(key, now).map(<[u8]>::to_vec))
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let (mut shard, now) = self.shard(key);
        shard.insert(key, end(now, ttl), Content::Value(value.to_vec()), self.0.shard_capacity)
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let (mut shard, now) = self.shard(key);
        if shard.value(key, now) != expected {
            return Ok(false);
        }
        let content = Content::Value(value.to_vec());
        shard.insert(key, end(now, ttl), content, self.0.shard_capacity).map(|()| true)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let (mut shard, _) = self.shard(key);
        shard.remove(key);
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (mut shard, now) = self.shard(key);
        let counted = shard.with_counter(key, now, |window, count, of, ends| {
            *of = limit;
            if *count >= limit {
                return Slot::Full { retry_after: ends.duration_since(now).unwrap_or_default() };
            }
            *count += 1;
            Slot::Taken { window }
        });
        if let Some(slot) = counted {
            return Ok(slot);
        }
        shard.windows += 1;
        let (ends, window) = (end(now, window), Window::new(shard.windows));
        let content = Content::Counter { window, count: 1, limit };
        shard.insert(key, ends, content, self.0.shard_capacity).map(|()| Slot::Taken { window })
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        let (mut shard, now) = self.shard(key);
        shard.with_counter(key, now, |current, count, _, _| {
            if current == window {
                *count = count.saturating_sub(1);
            }
        });
        Ok(())
    }
}

/// The end of a time to live that starts now.
fn end(now: SystemTime, ttl: Duration) -> SystemTime {
    now.checked_add(ttl).unwrap_or(UNIX_EPOCH + FAR_FUTURE)
}

#[cfg(test)]
mod tests;
