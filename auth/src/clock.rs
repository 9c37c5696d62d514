//! The source of the current time.

use humantime::format_rfc3339_seconds;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clock of the library: for lifetimes of tokens, windows of limits and timestamps in records.
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

/// Milliseconds since 1970. A time before 1970 is 0.
pub(crate) fn unix_milliseconds(time: SystemTime) -> u64 {
    let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

/// The time without fractions of a second. A timestamp in a record must read back equal from every database, but some
/// databases store less than nanoseconds or round.
pub(crate) fn whole_seconds(time: SystemTime) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(unix_seconds(time))
}

/// Whether RFC 3339 can write the time: from 1970, because the library has no earlier one, to the end of 9999.
pub(crate) fn is_in_calendar(time: SystemTime) -> bool {
    const END: Duration = Duration::from_secs(253_402_300_800);
    time.duration_since(UNIX_EPOCH).is_ok_and(|since| since < END)
}

/// The time as data has it (RFC 3339), in whole seconds. Empty if it cannot be written.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    if is_in_calendar(time) { format_rfc3339_seconds(time).to_string() } else { String::new() }
}

/// The time without fractions of a millisecond: the precision that repositories of sessions and of reset tokens must have.
pub(crate) fn whole_milliseconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_millis(since.as_millis().try_into().unwrap_or(u64::MAX))
}
