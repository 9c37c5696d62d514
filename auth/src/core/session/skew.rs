//! Times that another instance may have written, whose clock may be ahead (specification §10.3).

use std::time::Duration;

/// How far another instance's clock may be ahead.
pub(super) const SKEW: Duration = Duration::from_secs(60);

/// [`SKEW`] in milliseconds.
const AHEAD: u64 = SKEW.as_secs() * 1000;

/// Whether a period that began at this time is not over. All three are in milliseconds. A time that is further ahead than
/// another instance's clock may be is no beginning, so a period lasts for [`SKEW`] longer at most.
pub(super) const fn lasts(period: u64, began: u64, now: u64) -> bool {
    began <= now.saturating_add(AHEAD) && now < began.saturating_add(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_lasts_for_a_minute_longer_at_most() {
        for (began, now, expected) in [
            (1_000, 1_000, true),
            (1_000, 10_999, true),
            (1_000, 11_000, false),
            // Another clock was ahead.
            (61_000, 1_000, true),
            (61_000, 70_999, true),
            (61_000, 71_000, false),
            (61_001, 1_000, false),
            (u64::MAX, 1_000, false),
            (u64::MAX, u64::MAX, false),
            (0, u64::MAX, false),
        ] {
            assert_eq!(lasts(10_000, began, now), expected, "{began} at {now}");
        }
        assert!(!lasts(0, 1_000, 1_000));
    }
}
