//! Stores with one mistake each.

use super::assert_fails;
use crate::BoxError;
use crate::store::{EphemeralStore, MemoryStore, Slot, Window};
use crate::testing::{MovableClock, conformance};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::yield_now;

#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    /// Values never expire.
    ForEver,
    /// `swap` leaves the old lifetime.
    SwapKeepsLifetime,
    /// `GET`, compare, `SET`.
    CheckThenSwap,
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
    /// `DECR` without a look at the counter.
    BelowZero,
    /// The number of the window is ignored by `give_back`.
    WindowIgnored,
    /// `delete` removes values only.
    CounterNotDeleted,
    /// `delete_expired` deletes counters, too.
    LiveDeleted,
}
use Mistake::*;

/// A counter: how much it counts below or above the one in the store below it.
#[derive(Clone)]
struct Store {
    store: MemoryStore,
    mistake: Mistake,
    /// What the mistakes have to remember about counters.
    remembered: Arc<Mutex<HashMap<String, u32>>>,
}
