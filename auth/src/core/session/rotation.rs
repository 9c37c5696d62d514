//! Which refresh tokens of a session were used (specification §11.4, RFC 9700 §4.14.2).
//!
//! The tokens of a session are numbered. The record contains the next number and the times of the last few uses. It
//! is a part of the session's state.

use super::skew::lasts;
use serde::{Deserialize, Serialize};

/// How many recent uses are remembered. A client that retries does not need more within one grace period.
const REMEMBERED: usize = 16;

/// The record of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rotation {
    /// The number after the highest one that was used.
    next: u64,
    /// Numbers used within the grace period, each with the time in milliseconds.
    recent: Vec<(u64, u64)>,
}

/// The result of presenting a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// The first use. Contains the number of the successor and the record to store.
    First { successor: u64, record: Rotation },
    /// It was used within the grace period, which lasts for a minute longer if the clock of another instance is ahead, and the response may have been lost. Contains the number of the successor.
    Again { successor: u64 },
    /// It was used, and the grace period is over: the token was probably stolen.
    Reused,
}

impl Rotation {
    /// The number of the session's next token.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// A record of the maximum size.
    #[cfg(test)]
    pub(super) fn full() -> Self {
        Self { next: u64::MAX, recent: vec![(u64::MAX, u64::MAX); REMEMBERED] }
    }

    pub(super) fn present(&self, number: u64, now: u64, grace: u64) -> Use {
        if number >= self.next {
            let successor = number.saturating_add(1);
            let is_within_grace = |(_, at): &&(u64, u64)| lasts(grace, *at, now);
            let uses = self.recent.iter().filter(is_within_grace).count() + 1;
            let mut recent = Vec::with_capacity(uses.min(REMEMBERED));
            let too_many = uses.saturating_sub(REMEMBERED);
            recent.extend(self.recent.iter().filter(is_within_grace).skip(too_many));
            recent.push((number, now));
            return Use::First { successor, record: Self { next: successor, recent } };
        }
        let within_grace = |(used, at): &(u64, u64)| *used == number && lasts(grace, *at, now);
        if self.recent.iter().any(within_grace) {
            return Use::Again { successor: self.next };
        }
        Use::Reused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GRACE: u64 = 10_000;

    fn first(rotation: &Rotation, number: u64, now: u64) -> Rotation {
        match rotation.present(number, now, GRACE) {
            Use::First { record, .. } => record,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_used_token_works_again_within_the_grace_period_and_not_after() {
        let used = first(&Rotation::default(), 0, 1_000);
        assert_eq!(used.present(0, 10_999, GRACE), Use::Again { successor: 1 });
        assert_eq!(used.present(0, 11_000, GRACE), Use::Reused);
    }

    #[test]
    fn a_retry_returns_the_newest_successor_even_after_further_rotations() {
        let once = first(&Rotation::default(), 0, 0);
        let twice = first(&once, 1, 5_000);
        assert_eq!(twice.present(0, 9_000, GRACE), Use::Again { successor: 2 });
        assert_eq!(twice.present(0, 10_000, GRACE), Use::Reused);
        assert_eq!(twice.present(1, 10_000, GRACE), Use::Again { successor: 2 });
    }

    #[test]
    fn without_a_grace_period_every_second_use_is_a_reuse() {
        let used = match Rotation::default().present(0, 0, 0) {
            Use::First { record, .. } => record,
            other => panic!("{other:?}"),
        };
        assert_eq!(used.present(0, 0, 0), Use::Reused);
    }

    proptest! {
        /// For every order and time of presentations: a number has at most one first use, the record stays small, and
        /// a successor is always an unused number.
        #[test]
        fn a_number_has_at_most_one_first_use(steps in prop::collection::vec((0_u64..12, 0_u64..6_000), 1..80)) {
            let (mut rotation, mut now, mut used) = (Rotation::default(), 0, std::collections::HashSet::new());
            for (number, wait) in steps {
                now += wait;
                match rotation.present(number, now, GRACE) {
                    Use::First { successor, record } => {
                        prop_assert!(used.insert(number));
                        prop_assert!(used.iter().all(|used| *used < successor));
                        prop_assert!(record.recent.len() <= REMEMBERED);
                        rotation = record;
                    }
                    Use::Again { successor } => prop_assert!(!used.contains(&successor)),
                    Use::Reused => prop_assert!(number < rotation.next),
                }
            }
        }
    }
}
