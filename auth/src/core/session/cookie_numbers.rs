//! Which cookies of a browser session are valid (specification §27.3).
//!
//! A session cookie does not change while it is in use. It is replaced when the session's privileges change, and the
//! cookies of a session are numbered. A replaced cookie stays valid until its successor has been used and the grace period
//! after that is over, because the response with the successor may be lost, and because requests of other tabs may be on
//! their way.

use super::skew::lasts;
use serde::{Deserialize, Serialize};

/// The cookie numbers of one session, as its state contains them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CookieNumbers {
    /// The number of the newest cookie.
    n: u64,
    /// Lower numbers are invalid.
    floor: u64,
    /// The highest number that was used.
    seen: u64,
    /// When it was first used, in milliseconds since 1970. Lower numbers are invalid after the grace period.
    at: u64,
}

impl CookieNumbers {
    /// Whether a cookie with this number is valid now.
    pub(super) const fn accepts(&self, number: u64, now: u64, grace: u64) -> bool {
        let in_use = number >= self.seen || lasts(grace, self.at, now);
        self.floor <= number && number <= self.n && in_use
    }

    /// Whether a cookie with this number is the newest one. Only that one has the session's confirmations.
    pub(super) const fn is_newest(&self, number: u64) -> bool {
        number == self.n
    }

    /// The highest number that was used.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(super) const fn last_seen(&self) -> u64 {
        self.seen
    }

    /// Whether a cookie with this number has not been used yet.
    pub(super) const fn is_new(&self, number: u64) -> bool {
        number > self.seen
    }

    /// Records the first use of a cookie. The predecessor of its predecessor becomes invalid now, so that no cookie is
    /// valid for longer than the grace period after the use of its successor.
    pub(super) const fn see(&mut self, number: u64, now: u64) {
        if self.seen > self.floor {
            self.floor = self.seen;
        }
        (self.seen, self.at) = (number, now);
    }

    /// The number of the cookie that replaces the newest one.
    pub(super) const fn replace(&mut self) -> u64 {
        self.n = self.n.saturating_add(1);
        self.n
    }

    /// The number of the cookie that replaces all others: they are invalid from now on.
    pub(super) const fn replace_all(&mut self) -> u64 {
        let number = self.replace();
        (self.floor, self.seen) = (number, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GRACE: u64 = 10_000;

    fn valid(numbers: CookieNumbers, now: u64) -> Vec<u64> {
        (0..9).filter(|number| numbers.accepts(*number, now, GRACE)).collect()
    }

    #[test]
    fn a_replaced_cookie_stays_valid_until_its_successor_was_used_for_10_seconds() {
        let mut numbers = CookieNumbers::default();
        assert_eq!(valid(numbers, 0), [0]);
        assert_eq!(numbers.replace(), 1);
        // The response may have been lost.
        assert_eq!(valid(numbers, u64::MAX), [0, 1]);
        numbers.see(1, 1_000);
        assert_eq!(valid(numbers, 10_999), [0, 1]);
        assert_eq!(valid(numbers, 11_000), [1]);
    }

    #[test]
    fn a_number_never_becomes_valid_again() {
        let mut numbers = CookieNumbers::default();
        numbers.replace();
        numbers.see(1, 0);
        assert_eq!(valid(numbers, 20_000), [1]);
        numbers.replace();
        numbers.see(2, 20_000);
        assert_eq!(valid(numbers, 20_000), [1, 2]);
        assert_eq!(valid(numbers, 30_000), [2]);
    }

    #[test]
    fn after_a_credential_change_only_the_new_cookie_is_valid() {
        let mut numbers = CookieNumbers::default();
        numbers.replace();
        numbers.replace();
        assert_eq!(numbers.replace_all(), 3);
        assert_eq!(valid(numbers, 0), [3]);
        assert!(!numbers.is_new(3) && numbers.is_newest(3) && !numbers.is_newest(2));
    }

    proptest! {
        /// Whatever happens: the newest cookie is valid, and a number that was invalid never becomes valid again.
        #[test]
        fn what_is_invalid_stays_invalid(steps in prop::collection::vec((0_u8..4, 0_u64..6_000), 1..60)) {
            let (mut numbers, mut now) = (CookieNumbers::default(), 0);
            let mut invalid = std::collections::HashSet::new();
            for (step, wait) in steps {
                now += wait;
                for number in 0..=numbers.n {
                    match numbers.accepts(number, now, GRACE) {
                        true => prop_assert!(!invalid.contains(&number)),
                        false => _ = invalid.insert(number),
                    }
                }
                match step {
                    0 => _ = numbers.replace(),
                    1 => _ = numbers.replace_all(),
                    // A client uses the newest cookie, or one whose successor's response was lost.
                    _ => {
                        let used = numbers.n.saturating_sub(u64::from(step == 3));
                        if numbers.accepts(used, now, GRACE) && numbers.is_new(used) {
                            numbers.see(used, now);
                        }
                    }
                }
                prop_assert!(numbers.accepts(numbers.n, now, GRACE));
            }
        }
    }
}
