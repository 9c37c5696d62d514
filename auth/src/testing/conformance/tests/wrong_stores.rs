//! Stores with one mistake each.

use super::{Checks, Gap};
use crate::BoxError;
use crate::clock::{Clock, SystemClock};
use crate::store::{EphemeralStore, Slot, Window};
use crate::testing::MovableClock;
use crate::testing::conformance::{self, Time};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// The store does what it should.
    Nothing,
    /// Values never expire.
    ForEver,
    /// `ends_at >= now`.
    EndsLater,
    /// `INSERT … ON CONFLICT DO NOTHING`.
    FirstStays,
    /// `swap` asks only whether there is a value.
    AnyValue,
    /// Deleting nothing is an error.
    DeleteRequiresAnEntry,
    /// All windows have one number.
    OneNumber,
    /// `swap` leaves the old lifetime.
    SwapKeepsLifetime,
    /// `GET`, compare, `SET`.
    CheckThenSwap,
    /// MySQL's number of changed rows.
    SameIsFalse,
    /// An empty value counts as none.
    EmptyIsNone,
    /// Values are texts that end at NUL.
    EndsAtNul,
    /// Keys in a collation that ignores case.
    KeysIgnoreCase,
    /// A lifetime of zero is an error, as in Redis.
    NoZero,
    /// A lifetime is a signed number of 32 bits.
    ShortLifetimes,
    /// `count` counts without a limit: read, compare, increment.
    CheckThenCount,
    /// `INCR` and `EXPIRE` at each attempt.
    WindowExtended,
    /// `INCR` first, then the comparison.
    FullIsCounted,
    /// The limit of the first attempt stays in force.
    FirstLimit,
    /// `retry_after` is the whole window.
    WholeWindow,
    /// `DECR` of a key that does not exist.
    BelowZero,
    /// The counter falls below zero.
    LimitGrows,
    /// The number of the window is ignored by `give_back`.
    WindowIgnored,
    /// `delete` removes values only.
    CounterNotDeleted,
    /// `delete_expired` deletes counters, too.
    LiveDeleted,
}
use Mistake::{
    AnyValue, BelowZero, CheckThenCount, CheckThenSwap, CounterNotDeleted, DeleteRequiresAnEntry,
    EmptyIsNone, EndsAtNul, EndsLater, FirstLimit, FirstStays, ForEver, FullIsCounted, KeysIgnoreCase,
    LimitGrows, LiveDeleted, NoZero, Nothing, OneNumber, SameIsFalse, ShortLifetimes, SwapKeepsLifetime,
    WholeWindow, WindowExtended, WindowIgnored,
};

/// A small store that does what it should but for one mistake.
#[derive(Clone)]
struct Store {
    clock: Arc<dyn Clock>,
    mistake: Mistake,
    entries: Arc<Mutex<HashMap<String, Entry>>>,
    gap: Gap,
}

#[derive(Clone)]
struct Entry {
    ends: SystemTime,
    value: Vec<u8>,
    count: i64,
    limit: u32,
    window: u64,
}

impl Store {
    fn new(clock: impl Clock, mistake: Mistake) -> Self {
        Self { clock: Arc::new(clock), mistake, entries: Arc::default(), gap: Gap::default() }
    }

    fn key(&self, key: &str) -> String {
        if self.mistake == KeysIgnoreCase { key.to_lowercase() } else { key.to_owned() }
    }

    fn end(&self, ttl: Duration) -> Result<SystemTime, BoxError> {
        if self.mistake == NoZero && ttl.is_zero() {
            return Err("ERR invalid expire time in 'set' command".into());
        }
        if self.mistake == ShortLifetimes {
            i32::try_from(ttl.as_millis())?;
        }
        let year_9999 = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
        Ok(self.clock.now().checked_add(ttl).unwrap_or(year_9999))
    }

    fn live(&self, key: &str) -> Option<Entry> {
        let now = self.clock.now();
        let entry = self.entries.lock().unwrap().get(key).cloned();
        entry.filter(|entry| entry.ends > now || (self.mistake == EndsLater && entry.ends == now))
    }

    fn value(&self, key: &str) -> Option<Vec<u8>> {
        let entry = self.live(key).filter(|entry| entry.window == 0)?;
        Some(entry.value).filter(|value| self.mistake != EmptyIsNone || !value.is_empty())
    }

    fn set(&self, key: String, value: &[u8], ends: SystemTime) {
        let value = match self.mistake {
            EndsAtNul => value.split(|byte| *byte == 0).next().unwrap().to_vec(),
            _ => value.to_vec(),
        };
        self.entries.lock().unwrap().insert(key, Entry { ends, value, count: 0, limit: 0, window: 0 });
    }
}

#[async_trait]
impl EphemeralStore for Store {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let key = self.key(key);
        match self.mistake {
            ForEver => Ok(self.entries.lock().unwrap().get(&key).map(|entry| entry.value.clone())),
            _ => Ok(self.value(&key)),
        }
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        let (key, ends) = (self.key(key), self.end(ttl)?);
        if self.mistake != FirstStays || self.value(&key).is_none() {
            self.set(key, value, ends);
        }
        Ok(())
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        let (key, mut ends) = (self.key(key), self.end(ttl)?);
        // The one lock around the comparison and the write makes them one step.
        let turn = TURNS.lock().await;
        let current = self.value(&key);
        let is_expected = match self.mistake {
            AnyValue => current.is_some() == expected.is_some(),
            _ => current.as_deref() == expected,
        };
        if !is_expected || (self.mistake == SameIsFalse && expected == Some(value)) {
            return Ok(false);
        }
        if self.mistake == CheckThenSwap {
            drop(turn);
            self.gap.before(async { self.set(key, value, ends) }).await;
            return Ok(true);
        }
        if self.mistake == SwapKeepsLifetime {
            ends = self.live(&key).map_or(ends, |entry| entry.ends);
        }
        self.set(key, value, ends);
        Ok(true)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let key = self.key(key);
        if self.mistake == DeleteRequiresAnEntry && self.live(&key).is_none() {
            return Err("0 entries were deleted".into());
        }
        let is_counter = self.live(&key).is_some_and(|entry| entry.window != 0);
        if !(self.mistake == CounterNotDeleted && is_counter) {
            self.entries.lock().unwrap().remove(&key);
        }
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let (key, ends) = (self.key(key), self.end(window)?);
        let turn = TURNS.lock().await;
        let now = self.clock.now();
        let number = match self.mistake {
            OneNumber => 1,
            _ => ends.duration_since(UNIX_EPOCH)?.as_millis() as u64,
        };
        let new = Entry { ends, value: vec![], count: 0, limit, window: number };
        let mut entry = self.live(&key).unwrap_or(new);
        let limit = if self.mistake == FirstLimit { entry.limit } else { limit };
        if self.mistake == CheckThenCount {
            drop(turn);
            self.gap.before(async {}).await;
        }
        let is_full = entry.count >= i64::from(limit);
        if !is_full || self.mistake == FullIsCounted {
            entry.count += 1;
        }
        if self.mistake == WindowExtended {
            entry.ends = ends;
        }
        let (rest, window_number) = (entry.ends.duration_since(now)?, entry.window);
        self.entries.lock().unwrap().insert(key, entry);
        if !is_full {
            return Ok(Slot::Taken { window: Window::new(window_number) });
        }
        Ok(Slot::Full { retry_after: if self.mistake == WholeWindow { window } else { rest } })
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        let key = self.key(key);
        let entry = self.live(&key);
        let mut entries = self.entries.lock().unwrap();
        match entry {
            None if self.mistake == BelowZero => {
                let ends = self.clock.now() + Duration::from_secs(1_000_000_000);
                entries.insert(
                    key,
                    Entry { ends, value: vec![], count: -1, limit: 0, window: window.get().max(1) },
                );
            }
            Some(_) => {
                let Some(stored) = entries.get_mut(&key) else { return Ok(()) };
                let is_same = stored.window == window.get() || self.mistake == WindowIgnored;
                if is_same && (stored.count > 0 || self.mistake == LimitGrows) {
                    stored.count -= 1;
                }
            }
            None => {}
        }
        Ok(())
    }

    async fn delete_expired(&self, _: u32) -> Result<u64, BoxError> {
        let now = self.clock.now();
        let is_live = |entry: &Entry| entry.ends > now && (self.mistake != LiveDeleted || entry.window == 0);
        self.entries.lock().unwrap().retain(|_, entry| is_live(entry));
        Ok(0)
    }
}

/// Makes the operations of this file's stores atomic.
static TURNS: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_a_mistake_every_case_succeeds() {
    let clock = MovableClock::new();
    conformance::store(Store::new(clock.clone(), Nothing), clock).await.unwrap();
}

/// The same cases with waits in between.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_mistake_of_a_store_with_a_clock_of_its_own_is_found() {
    let of = |mistake| conformance::store(Store::new(SystemClock, mistake), Time::Real).into_future();
    let (nothing, for_ever, ignored) = tokio::join!(of(Nothing), of(ForEver), of(WindowIgnored));
    nothing.unwrap();
    let mut checks = Checks::default();
    // Another case deletes what has expired, so this one must not wait.
    let case = "a_lifetime_of_zero_has_ended";
    let found = "after a `put` with the lifetime zero, `get` returns \"one\" instead of `None`";
    checks.failed(ForEver, &for_ever, case, found);
    let case = "a_place_of_an_earlier_window_is_not_given_back";
    let found = "after a `give_back` for the previous window, `count` returned `Taken` instead of `Full`";
    checks.failed(WindowIgnored, &ignored, case, found);
    assert!(checks.wrong.is_empty(), "{}", checks.wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let mut checks = Checks::default();
    checks.each([
        (
            ForEver,
            "a_value_is_absent_at_the_end_of_its_lifetime",
            "at the end of the lifetime of a value of `put`, `get` returns \"one\" instead of `None`",
        ),
        (
            FirstStays,
            "a_value_is_stored_and_replaced",
            "after a `put`, `get` returns \"one\" instead of \"two\"",
        ),
        (
            AnyValue,
            "a_swap_of_a_value_requires_this_value",
            "`swap` that expects the value \"value\" returned true over the value \"Value\"",
        ),
        (
            DeleteRequiresAnEntry,
            "a_deleted_value_is_gone",
            "`delete` returned the error \"0 entries were deleted\"",
        ),
        (OneNumber, "two_windows_have_two_numbers", "a window and the next one have the same number, 1"),
        (
            EndsLater,
            "a_value_is_absent_at_the_end_of_its_lifetime",
            "at the end of the lifetime of a value of `put`, `get` returns \"one\" instead of `None`",
        ),
        (
            SwapKeepsLifetime,
            "a_new_value_has_a_new_lifetime",
            "after a `swap` with a longer lifetime over a shorter one, `get` returns `None` instead of \"two\"",
        ),
        (
            CheckThenSwap,
            "one_of_a_hundred_sets_an_absent_value",
            "… of 100 concurrent calls of `swap` over an absent value returned true",
        ),
        (
            SameIsFalse,
            "a_swap_to_the_same_value_succeeds",
            "`swap` of a value to the same value and the same lifetime returned false",
        ),
        (
            EmptyIsNone,
            "any_bytes_are_stored_unchanged",
            "after a `put`, `get` returns `None` instead of \"\"",
        ),
        (
            EndsAtNul,
            "any_bytes_are_stored_unchanged",
            "after a `put`, `get` returns \"\" instead of \"\\x00\"",
        ),
        (
            KeysIgnoreCase,
            "keys_are_compared_exactly",
            "before a `put` of \"CONFORMANCE:…:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXAS-_\", with a value of \"conformance:…:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxAs-_\", `get` returns \"own\" instead of `None`",
        ),
        (
            NoZero,
            "a_lifetime_of_zero_has_ended",
            "`put` returned the error \"ERR invalid expire time in 'set' command\"",
        ),
        (
            ShortLifetimes,
            "a_long_lifetime_does_not_end",
            "`put` returned the error \"out of range integral type conversion attempted\"",
        ),
        (
            CheckThenCount,
            "a_hundred_attempts_are_counted_to_the_limit",
            "… of 100 concurrent attempts returned `Taken` with a limit of 7",
        ),
        (
            WindowExtended,
            "no_attempt_extends_a_window",
            "at the end of the window, during which there were further attempts, with 0 of 2 free places taken, `count` returned `Full` instead of `Taken`",
        ),
        (
            FullIsCounted,
            "an_attempt_on_a_full_counter_is_not_counted",
            "after five attempts on a full counter of 2, with a limit of 3, with 0 of 1 free places taken, `count` returned `Full` instead of `Taken`",
        ),
        (
            FirstLimit,
            "a_lower_limit_is_full",
            "after three attempts, with a limit of 3, `count` returned `Taken` instead of `Full`",
        ),
        (
            WholeWindow,
            "a_full_counter_says_when_its_window_ends",
            "`retry_after` is 60s, but the window ends after 40s",
        ),
        (
            BelowZero,
            "giving_back_nothing_creates_nothing",
            "after a `give_back` for a key without a counter, with 1 of 1 free places taken, `count` returned `Taken` instead of `Full`",
        ),
        (
            LimitGrows,
            "a_count_never_falls_below_zero",
            "after one attempt and five calls of `give_back`, with 2 of 2 free places taken, `count` returned `Taken` instead of `Full`",
        ),
        (
            WindowIgnored,
            "a_place_of_an_earlier_window_is_not_given_back",
            "after a `give_back` for the previous window, `count` returned `Taken` instead of `Full`",
        ),
        (
            CounterNotDeleted,
            "a_deleted_counter_starts_again",
            "after a `delete`, with 0 of 2 free places taken, `count` returned `Full` instead of `Taken`",
        ),
        (
            LiveDeleted,
            "delete_expired_deletes_nothing_live",
            "after a `delete_expired`, before the end of the window, `count` returned `Taken` instead of `Full`",
        ),
    ], |mistake| { let clock = MovableClock::new(); conformance::store(Store::new(clock.clone(), mistake), clock) }).await;
    let clock = MovableClock::new();
    checks.end(&conformance::store(Store::new(clock.clone(), Nothing), clock));
}
