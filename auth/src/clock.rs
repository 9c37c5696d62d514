//! Where the time comes from.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time that everything in the library goes by: lives of tokens, windows of limits, stamps in records.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> SystemTime;
}

/// The system's clock; the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// Whole seconds since 1970, the unit of every token's claims (RFC 7519 `NumericDate`). A time before 1970 is 0.
pub(crate) fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The time cut to whole seconds: what goes into a record has to come back equal from any database, and some
/// keep less than nanoseconds, and some round.
pub(crate) fn whole_seconds(time: SystemTime) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(unix_seconds(time))
}
