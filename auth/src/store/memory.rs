//! The store of a single instance.

use super::{EphemeralStore, Slot, Window};
use crate::clock::{Clock, SystemClock};
use crate::error::BoxError;
use async_trait::async_trait;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of maps over which the keys are spread. Each has a lock, which is never held across an `.await`.
const SHARDS: usize = 16;
/// The default capacity in entries. A full store of counters takes less than 64 MiB. The map of a shard has room for 28,672
/// entries before it doubles.
const CAPACITY: usize = 16 * 28_000;
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
    hashers: [RandomState; 2],
    shards: [Mutex<Shard>; SHARDS],
    shard_capacity: usize,
}

/// A part of the entries. No operation looks at more than a few of them.
#[derive(Default)]
struct Shard {
    entries: HashMap<Key, Entry>,
    /// The entries that a new key can evict, in the order in which they expire: the counters that have not reached their
    /// limit.
    expendable: BTreeMap<Place, Key>,
    /// All other entries, in the order in which they expire.
    kept: BTreeMap<Place, Key>,
    /// How many entries were ever written.
    written: u64,
    /// How many windows have begun in this shard.
    windows: u64,
}

/// Two hashes of a key, with seeds that are random in each process, so that nobody can find two keys with the same. They take
/// less memory than the keys, of which a client can make many.
type Key = [u64; 2];

/// The end of an entry in nanoseconds since 1970, and a number that makes it unique.
type Place = (u64, u64);

struct Entry {
    place: Place,
    content: Content,
}

enum Content {
    Value(Box<[u8]>),
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
    /// A store for 448,000 entries with the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Arc::new(SystemClock), CAPACITY)
    }

    /// A store with this clock, for `capacity` entries (rounded up to a multiple of 16).
    #[must_use]
    pub fn with(clock: Arc<dyn Clock>, capacity: usize) -> Self {
        let shards = std::array::from_fn(|_| Mutex::default());
        let shard_capacity = capacity.div_ceil(SHARDS).max(1);
        let hashers = [RandomState::new(), RandomState::new()];
        Self(Arc::new(Inner { clock, hashers, shards, shard_capacity }))
    }

    pub(crate) fn on_clock(clock: Arc<dyn Clock>) -> Self {
        Self::with(clock, CAPACITY)
    }

    /// Locks the shard of a key and removes some of its expired entries. Returns the shard, the key in it, and the current time
    /// in nanoseconds.
    fn shard(&self, key: &str) -> (MutexGuard<'_, Shard>, Key, u64) {
        let key = self.0.hashers.each_ref().map(|hasher| hasher.hash_one(key));
        let index = key[0] as usize % SHARDS;
        #[expect(clippy::indexing_slicing, reason = "a remainder of the array's own length")]
        let shard = &self.0.shards[index];
        // No operation panics in the middle of a change, so the data of a poisoned lock is consistent.
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let now = nanoseconds(self.0.clock.now());
        shard.sweep(now);
        (shard, key, now)
    }
}

impl Shard {
    /// The value under this key, if it has not expired.
    fn value(&self, key: Key, now: u64) -> Option<&[u8]> {
        match self.entries.get(&key) {
            Some(Entry { place: (ends, _), content: Content::Value(value) }) if *ends > now => Some(value),
            _ => None,
        }
    }

    /// Changes the counter under this key, if it has not expired. The function gets the window, the count, the limit and the
    /// end.
    fn with_counter<T>(
        &mut self,
        key: Key,
        now: u64,
        change: impl FnOnce(Window, &mut u32, &mut u32, u64) -> T,
    ) -> Option<T> {
        let Entry { place, content } = self.entries.get_mut(&key).filter(|entry| entry.place.0 > now)?;
        let (place, before) = (*place, content.is_expendable());
        let Content::Counter { window, count, limit } = content else { return None };
        let result = change(*window, count, limit, place.0);
        let after = content.is_expendable();
        if before != after {
            self.order(before).remove(&place);
            self.order(after).insert(place, key);
        }
        Some(result)
    }

    /// Sets the entry with this key. A new key in a full shard evicts a counter.
    fn insert(&mut self, key: Key, ends: u64, content: Content, capacity: usize) -> Result<(), BoxError> {
        if !self.remove(key) && self.entries.len() >= capacity && !self.evict() {
            return Err("the in-memory store is full of entries that must not be forgotten".into());
        }
        self.written += 1;
        let place = (ends, self.written);
        self.order(content.is_expendable()).insert(place, key);
        self.entries.insert(key, Entry { place, content });
        Ok(())
    }

    /// Removes an entry. Returns whether there was one.
    fn remove(&mut self, key: Key) -> bool {
        let Some(Entry { place, content }) = self.entries.remove(&key) else { return false };
        self.order(content.is_expendable()).remove(&place);
        true
    }

    /// The order that has the entries of this kind.
    const fn order(&mut self, is_expendable: bool) -> &mut BTreeMap<Place, Key> {
        if is_expendable { &mut self.expendable } else { &mut self.kept }
    }

    /// Removes a few expired entries.
    fn sweep(&mut self, now: u64) {
        for _ in 0..SWEEP {
            let first =
                [&self.expendable, &self.kept].into_iter().filter_map(BTreeMap::first_key_value).min();
            match first {
                Some(((ends, _), key)) if *ends <= now => {
                    let key = *key;
                    self.remove(key);
                }
                _ => return,
            }
        }
    }

    /// Removes the counter that expires first among those that are not full. Returns whether it removed one.
    fn evict(&mut self) -> bool {
        let first = self.expendable.first_key_value().map(|(_, key)| *key);
        first.is_some_and(|key| self.remove(key))
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for MemoryStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let (shard, key, now) = self.shard(key);
        Ok(shard.value(key, now).map(<[u8]>::to_vec))
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let (mut shard, key, now) = self.shard(key);
        shard.insert(key, end(now, ttl), Content::Value(value.into()), self.0.shard_capacity)
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let (mut shard, key, now) = self.shard(key);
        if shard.value(key, now) != expected {
            return Ok(false);
        }
        let content = Content::Value(value.into());
        shard.insert(key, end(now, ttl), content, self.0.shard_capacity).map(|()| true)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let (mut shard, key, _) = self.shard(key);
        shard.remove(key);
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (mut shard, key, now) = self.shard(key);
        let counted = shard.with_counter(key, now, |window, count, of, ends| {
            *of = limit;
            if *count >= limit {
                return Slot::Full { retry_after: Duration::from_nanos(ends.saturating_sub(now)) };
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
        let (mut shard, key, now) = self.shard(key);
        shard.with_counter(key, now, |current, count, _, _| {
            if current == window {
                *count = count.saturating_sub(1);
            }
        });
        Ok(())
    }
}

/// Nanoseconds since 1970, up to the year 2554.
fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().try_into().unwrap_or(u64::MAX)
}

/// The end of a time to live that starts now. One that no clock can express ends in the year 2554.
fn end(now: u64, ttl: Duration) -> u64 {
    now.saturating_add(ttl.as_nanos().try_into().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
