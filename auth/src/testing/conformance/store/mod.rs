//! The cases of [`EphemeralStore`].

mod counters;
mod expiry;
mod giving_back;
mod time;
mod together;
mod values;

use super::failures::{Broken, Operation, ensure};
use super::fresh::token;
use super::suite::{Suite, cases};
use crate::store::{EphemeralStore, Slot, Window};
use std::sync::Arc;
use std::time::Duration;

pub use time::Time;

cases! {
    StoreCases {
        values {
            a_value_is_stored_and_replaced: "`put` sets the value of a key, whatever it was before, and `get` returns it; a key without a value is `Ok(None)`.";
            any_bytes_are_stored_unchanged: "A value is any bytes: none, NUL, bytes that are no UTF-8, and 4 KiB.";
            keys_are_compared_exactly: "Keys that differ in case are different keys. A column may need a binary collation.";
            a_swap_of_nothing_requires_that_there_is_no_value: "`swap` that expects `None` sets the value and returns true if there is none; otherwise it returns false and writes nothing. An empty value is a value.";
            a_swap_of_a_value_requires_this_value: "`swap` that expects a value returns false and writes nothing if the value is another one, compared byte by byte, or if there is none.";
            a_swap_to_the_same_value_succeeds: "`swap` returns true if the value was the expected one, also if nothing changes. On MySQL, the number of changed rows does not say that.";
            a_deleted_value_is_gone: "`delete` removes the value of this key and of no other. It is no error if there is none.";
        }
        expiry {
            a_value_is_absent_at_the_end_of_its_lifetime: "A value of `put` or `swap` is there until its lifetime ends, and absent from that moment on.";
            an_expired_value_is_none_for_a_swap: "A `swap` that expects the expired value returns false, and one that expects `None` returns true.";
            a_new_value_has_a_new_lifetime: "`put` and `swap` over a value set the lifetime, too.";
            a_lifetime_of_zero_has_ended: "A value with the lifetime zero is absent at once. It is not an error.";
            a_long_lifetime_does_not_end: "Every lifetime is accepted, also 400 days and `Duration::MAX`, for values and for windows.";
            delete_expired_deletes_nothing_live: "`delete_expired` deletes no value and no counter before its end, and at most so many as it may.";
        }
        counters {
            a_counter_counts_to_its_limit: "`count` returns `Taken` as often as the limit says, and then `Full`. Each key has its own counter.";
            a_full_counter_says_when_its_window_ends: "`retry_after` is the time until the window ends: more than zero, and not more than the window.";
            a_window_ends_at_its_time: "The counter is in force until its window ends. From that moment on, the next attempt starts a new window.";
            no_attempt_extends_a_window: "The window starts with the first attempt. Neither a counted attempt nor one that finds it full extends it.";
            an_attempt_on_a_full_counter_is_not_counted: "`Full` counts nothing: a later call with a higher limit finds as many places as before.";
            a_lower_limit_is_full: "A counter that has reached the limit of this call is full, whatever the limit was before.";
            a_deleted_counter_starts_again: "`delete` removes a counter, too. The next attempt starts a new window.";
        }
        giving_back {
            a_place_that_is_given_back_is_free: "`give_back` subtracts one attempt, and the window goes on.";
            giving_back_nothing_creates_nothing: "`give_back` for a key without a counter changes nothing. In particular it leaves no entry that never expires.";
            a_count_never_falls_below_zero: "`give_back` of a counter at 0 changes nothing: the limit does not grow.";
            two_windows_have_two_numbers: "The next window of a key has another number; all attempts in one window have the same.";
            a_place_of_an_earlier_window_is_not_given_back: "`give_back` with the number of a window that has ended changes nothing, also while the next one runs.";
        }
        together {
            one_of_a_hundred_sets_an_absent_value: "Of several calls of `swap` that expect `None` at the same time, exactly one returns true.";
            one_of_a_hundred_sets_an_expired_value: "The same holds if there was a value that has expired.";
            one_of_a_hundred_replaces_a_value: "Of several calls of `swap` that expect the same value at the same time, exactly one returns true.";
            a_hundred_attempts_are_counted_to_the_limit: "Of several calls of `count` at the same time, exactly as many return `Taken` as the limit says.";
            a_hundred_attempts_start_one_window: "The same holds for the first attempts after the end of a window: they start one new window.";
            a_hundred_places_are_given_back: "Of several calls of `give_back` at the same time, each one counts.";
        }
    }
    /// Checks an [`EphemeralStore`]. `time` says how time passes for the store: a [`MovableClock`](super::super::MovableClock)
    /// on which it was built, or [`Time::Real`] for a store with a clock of its own, such as Redis. Then the suite waits, and
    /// takes a few seconds.
    ///
    /// ```
    /// use axum_auth_module::store::MemoryStore;
    /// use axum_auth_module::testing::{MovableClock, conformance};
    /// use std::sync::Arc;
    ///
    /// # tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap().block_on(async {
    /// let clock = MovableClock::new();
    /// let store = MemoryStore::with(Arc::new(clock.clone()), 10_000);
    /// conformance::store(store, clock).await
    /// # }).unwrap();
    /// ```
    pub fn store<S: EphemeralStore>(store: S, time: impl Into<Time>) -> Suite<StoreCases> {
        let time = time.into();
        let cases = cases();
        // A clock is moved for one case at a time. Waiting is shared.
        let together = if matches!(time, Time::Real) { cases.len() } else { 1 };
        Suite::new(StoreCases { store: Arc::new(store), time }, cases).together(together)
    }
}

/// The cases for stores, which check this one.
#[derive(Clone)]
pub struct StoreCases {
    store: Arc<dyn EphemeralStore>,
    time: Time,
}

/// A lifetime that no case outlasts.
const LONG: Duration = Duration::from_secs(3_600);

/// A key that nobody else has.
fn key() -> Result<String, Broken> {
    Ok(format!("conformance:{}", token()?))
}

impl StoreCases {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Broken> {
        self.store.get(key).await.of("get")
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), Broken> {
        self.store.put(key, value, ttl).await.of("put")
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, Broken> {
        self.store.swap(key, expected, value, ttl).await.of("swap")
    }

    async fn delete(&self, key: &str) -> Result<(), Broken> {
        self.store.delete(key).await.of("delete")
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, Broken> {
        self.store.count(key, limit, window).await.of("count")
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), Broken> {
        self.store.give_back(key, window).await.of("give_back")
    }

    /// Fails unless this is the value of the key. `place` says where: `after …`.
    async fn must_be(&self, key: &str, expected: Option<&[u8]>, place: &str) -> Result<(), Broken> {
        let found = self.get(key).await?;
        ensure!(
            found.as_deref() == expected,
            "{place}, `get` returns {} instead of {}",
            value(found.as_deref()),
            value(expected)
        );
        Ok(())
    }

    /// Counts an attempt that must be `Taken`, and returns its window. `place` says why: `below its limit`.
    async fn taken(&self, key: &str, limit: u32, window: Duration, place: &str) -> Result<Window, Broken> {
        match self.count(key, limit, window).await? {
            Slot::Taken { window } => Ok(window),
            Slot::Full { .. } => {
                Err(Broken::new(format!("{place}, `count` returned `Full` instead of `Taken`")))
            }
        }
    }

    /// Counts an attempt that must find the counter `Full`, and returns its `retry_after`.
    async fn full(&self, key: &str, limit: u32, window: Duration, place: &str) -> Result<Duration, Broken> {
        match self.count(key, limit, window).await? {
            Slot::Full { retry_after } => Ok(retry_after),
            Slot::Taken { .. } => {
                Err(Broken::new(format!("{place}, `count` returned `Taken` instead of `Full`")))
            }
        }
    }

    /// Counts until the counter is full: exactly `free` attempts of the limit must be `Taken`.
    async fn has_free(&self, key: &str, free: u32, limit: u32, place: &str) -> Result<(), Broken> {
        for number in 0..free {
            let place = format!("{place}, with {number} of {free} free places taken");
            self.taken(key, limit, LONG, &place).await?;
        }
        self.full(key, limit, LONG, &format!("{place}, with {free} of {free} free places taken")).await?;
        Ok(())
    }
}

/// A value for a sentence.
fn value(value: Option<&[u8]>) -> String {
    match value {
        None => "`None`".to_owned(),
        Some(bytes) if bytes.len() > 40 => format!("{} bytes", bytes.len()),
        Some(bytes) => format!("\"{}\"", bytes.escape_ascii()),
    }
}
