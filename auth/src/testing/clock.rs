//! A clock that stands still until it is moved.

use crate::clock::Clock;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A clock for tests. It begins at the time of its making and moves only when told to; clones share it.
#[derive(Clone, Debug)]
pub struct MovableClock(Arc<Mutex<SystemTime>>);

impl Default for MovableClock {
    fn default() -> Self {
        Self::new()
    }
}

impl MovableClock {
    /// A clock that stands at the present.
    #[must_use]
    pub fn new() -> Self {
        Self::at(SystemTime::now())
    }

    /// A clock that stands at this time.
    #[must_use]
    pub fn at(time: SystemTime) -> Self {
        Self(Arc::new(Mutex::new(time)))
    }

    /// Lets time pass.
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
