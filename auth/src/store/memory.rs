//! The store of a single instance.

use super::{EphemeralStore, Slot, StoreKey, Window};
use crate::clock::{Clock, SystemClock};
use crate::error::BoxError;
use crate::sync::{Mutex, MutexGuard};
use async_trait::async_trait;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number of maps over which the keys are spread. Each has a lock, which is never held across an `.await`.
const SHARDS: usize = 16;
/// The default capacity in entries. A full store of counters takes less than 64 MiB, although the map of a shard has room for
/// twice as many: it doubles when entries come and go.
const CAPACITY: usize = 16 * 28_000;
/// How many kinds of keys the entries of a shard are divided into. Keys of further kinds belong to the last one.
const KINDS: usize = 32;
/// How many expired entries each operation removes at most, all of one order. An operation adds one, and each order has its
/// turn after `KINDS` operations.
const SWEEP: usize = 2 * KINDS;

/// An [`EphemeralStore`] in the memory of one process; the default. A restart clears it: attempt counters
/// and used one-time codes are forgotten.
///
/// Its size is bounded. If it is full, a new key removes another entry: of the kind of keys that has the most entries, the one
/// that expires first. So nobody can use up the place of one kind with entries of another. Only counters that have not
/// reached their limit are removed, and values without which nothing is less safe. If only other entries remain, the store
/// returns an error and the request is refused.
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
    entries: HashMap<Key, Entry, BuildHasherDefault<IsHash>>,
    /// The kinds of keys, at most `KINDS`.
    kinds: Vec<Kind>,
    /// The entries that no new key can evict, in the order in which they expire.
    kept: BTreeSet<Place>,
    /// How many windows have begun in this shard.
    windows: u32,
    /// How many operations there were. It decides which order of expiry is swept next.
    operations: usize,
}

/// The entries under keys of one kind that a new key can evict.
struct Kind {
    /// What precedes the colon in the keys.
    name: Box<str>,
    /// The entries, in the order in which they expire.
    expendable: BTreeSet<Place>,
}

/// The SipHash of a key, with a seed that is random in each process, so that nobody can find two keys with the same. It takes less
/// memory than the key, of which a client can make many. That two of the keys in a full store have the same has a
/// probability of 10⁻⁸; they would count as one key.
type Key = u64;

/// A hasher of hashes.
#[derive(Default)]
struct IsHash(u64);

impl Hasher for IsHash {
    /// Not called: the keys are numbers.
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The end of an entry in nanoseconds since 1970, and its key.
type Place = (u64, Key);

struct Entry {
    ends: u64,
    content: Content,
}

enum Content {
    /// Boxed, because there are more counters than values.
    Value(Box<Value>),
    Counter {
        kind: u8,
        window: u32,
        count: u32,
        limit: u32,
    },
}

struct Value {
    kind: u8,
    is_expendable: bool,
    octets: Box<[u8]>,
}

/// Where the place of an entry is: among those that a new key of this kind or of any other can evict, or among those that stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Expendable(u8),
    Kept,
}

impl Content {
    const fn order(&self) -> Order {
        match self {
            Self::Counter { kind, count, limit, .. } if *count < *limit => Order::Expendable(*kind),
            Self::Value(value) if value.is_expendable => Order::Expendable(value.kind),
            Self::Counter { .. } | Self::Value(_) => Order::Kept,
        }
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
        Self(Arc::new(Inner { clock, hasher: RandomState::new(), shards, shard_capacity }))
    }

    pub(crate) fn on_clock(clock: Arc<dyn Clock>) -> Self {
        Self::with(clock, CAPACITY)
    }

    /// Locks the shard of a key and removes some of its expired entries. Returns the shard, the key in it, and the current time
    /// in nanoseconds.
    fn shard(&self, key: &str) -> (MutexGuard<'_, Shard>, Key, u64) {
        let key = self.0.hasher.hash_one(key);
        // The map of the shard uses the other bits.
        let index = (key >> 32) as usize % SHARDS;
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
            Some(Entry { ends, content: Content::Value(value) }) if *ends > now => Some(&value.octets),
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
        let Entry { ends, content } = self.entries.get_mut(&key).filter(|entry| entry.ends > now)?;
        let (place, before) = ((*ends, key), content.order());
        let Content::Counter { window, count, limit, .. } = content else { return None };
        let result = change(Window::new((*window).into()), count, limit, *ends);
        let after = content.order();
        if before != after {
            self.order(before).remove(&place);
            self.order(after).insert(place);
        }
        Some(result)
    }

    /// Sets the entry with this key. A new key in a full shard evicts another entry.
    fn insert(
        &mut self,
        key: Key,
        (now, ends): (u64, u64),
        content: Content,
        capacity: usize,
    ) -> Result<(), BoxError> {
        if !self.remove(key) && self.entries.len() >= capacity && !self.evict(now) {
            return Err("the in-memory store is full of entries that must not be forgotten".into());
        }
        self.order(content.order()).insert((ends, key));
        self.entries.insert(key, Entry { ends, content });
        Ok(())
    }

    /// Removes an entry. Returns whether there was one.
    fn remove(&mut self, key: Key) -> bool {
        let Some(Entry { ends, content }) = self.entries.remove(&key) else { return false };
        self.order(content.order()).remove(&(ends, key));
        true
    }

    /// A value under this key.
    fn content_of(&mut self, key: &str, octets: &[u8]) -> Content {
        let (kind, is_expendable) = (self.kind_of(key), StoreKey::is_of_expendable(key));
        Content::Value(Box::new(Value { kind, is_expendable, octets: octets.into() }))
    }

    /// The number of the kind that a key belongs to.
    fn kind_of(&mut self, key: &str) -> u8 {
        let name = key.split_once(':').map_or("", |(name, _)| name);
        let at = self.kinds.iter().position(|kind| *kind.name == *name).unwrap_or(self.kinds.len());
        if at == self.kinds.len() && at < KINDS {
            self.kinds.push(Kind { name: name.into(), expendable: BTreeSet::new() });
        }
        at.min(KINDS - 1) as u8
    }

    /// The places of the entries of this order. A kind that does not exist has no entries.
    fn order(&mut self, order: Order) -> &mut BTreeSet<Place> {
        match order {
            Order::Expendable(kind) => match self.kinds.get_mut(usize::from(kind)) {
                Some(kind) => &mut kind.expendable,
                None => &mut self.kept,
            },
            Order::Kept => &mut self.kept,
        }
    }

    /// Removes a few expired entries of one order of expiry: of each in turn.
    fn sweep(&mut self, now: u64) {
        self.operations = self.operations.wrapping_add(1);
        let turn = self.operations % (self.kinds.len() + 1);
        let order = u8::try_from(turn).ok().filter(|_| turn < self.kinds.len());
        let order = order.map_or(Order::Kept, Order::Expendable);
        for _ in 0..SWEEP {
            match self.order(order).first() {
                Some(&(ends, key)) if ends <= now => self.remove(key),
                _ => return,
            };
        }
    }

    /// Removes an expired entry, or else of the kind that has the most the one that expires first. Returns whether it removed
    /// one.
    fn evict(&mut self, now: u64) -> bool {
        let orders = self.kinds.iter().map(|kind| &kind.expendable).chain([&self.kept]);
        let expired = orders.filter_map(BTreeSet::first).min().filter(|(ends, _)| *ends <= now);
        let largest = || self.kinds.iter().map(|kind| &kind.expendable).max_by_key(|places| places.len());
        let place = expired.or_else(|| largest()?.first()).copied();
        place.is_some_and(|(_, key)| self.remove(key))
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EphemeralStore for MemoryStore {
    /// A restart clears it.
    fn is_durable(&self) -> bool {
        false
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let (shard, key, now) = self.shard(key);
        Ok(shard.value(key, now).map(<[u8]>::to_vec))
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let (mut shard, hash, now) = self.shard(key);
        let content = shard.content_of(key, value);
        shard.insert(hash, (now, end(now, ttl)), content, self.0.shard_capacity)
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let (mut shard, hash, now) = self.shard(key);
        if shard.value(hash, now) != expected {
            return Ok(false);
        }
        let content = shard.content_of(key, value);
        shard.insert(hash, (now, end(now, ttl)), content, self.0.shard_capacity).map(|()| true)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let (mut shard, key, _) = self.shard(key);
        shard.remove(key);
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (mut shard, hash, now) = self.shard(key);
        let counted = shard.with_counter(hash, now, |window, count, of, ends| {
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
        shard.windows = shard.windows.wrapping_add(1);
        let (ends, number, kind) = (end(now, window), shard.windows, shard.kind_of(key));
        let content = Content::Counter { kind, window: number, count: 1, limit };
        let window = Window::new(number.into());
        shard.insert(hash, (now, ends), content, self.0.shard_capacity).map(|()| Slot::Taken { window })
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
