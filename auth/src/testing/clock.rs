//! A clock that moves only when a test moves it.

use crate::clock::Clock;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A clock for tests. It starts at the current time and moves only with [`advance`](Self::advance) and
/// [`set`](Self::set). Clones share the time.
#[derive(Clone, Debug)]
pub struct MovableClock(Arc<Mutex<SystemTime>>);

impl Default for MovableClock {
    fn default() -> Self {
        Self::new()
    }
}

impl MovableClock {
    /// A clock that is set to the current time.
    #[must_use]
    pub fn new() -> Self {
        Self::at(SystemTime::now())
    }

    /// A clock that is set to this time.
    #[must_use]
    pub fn at(time: SystemTime) -> Self {
        Self(Arc::new(Mutex::new(time)))
    }

    /// Moves the time forward.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    /// Sets the time, forward or back.
    pub fn set(&self, time: SystemTime) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }
}

impl Clock for MovableClock {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
