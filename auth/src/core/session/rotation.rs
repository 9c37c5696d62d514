//! Which refresh tokens of a session were used (specification §11.4, RFC 9700 §4.14.2).
//!
//! The tokens of a session are numbered. The record says which number comes next and when the last few were used; it
//! knows nothing of a store, which keeps it as bytes and swaps it only against what was read.

use serde::{Deserialize, Serialize};

/// How many recent uses are remembered. More than that within one grace is no client's retry.
const REMEMBERED: usize = 16;

/// The record of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rotation {
    /// The lowest number that was not used.
    next: u64,
    /// Numbers used within the grace, each with the time in milliseconds.
    recent: Vec<(u64, u64)>,
}

/// What becomes of a token that is presented.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// It is used for the first time: its successor has this number, and this is the record to store.
    First { successor: u64, record: Rotation },
    /// It was used a moment ago, and the answer may have been lost: the successor has this number.
    Again { successor: u64 },
    /// It was used before. Somebody has a copy.
    Reused,
}

impl Rotation {
    /// The number of the token that the session may present next.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn present(&self, number: u64, now: u64, grace: u64) -> Presented {
        if number >= self.next {
            let successor = number.saturating_add(1);
            let within_grace = self.recent.iter().filter(|(_, at)| now.saturating_sub(*at) < grace);
            let mut recent: Vec<_> = within_grace.copied().collect();
            recent.push((number, now));
            let recent = recent.split_off(recent.len().saturating_sub(REMEMBERED));
            return Presented::First { successor, record: Self { next: successor, recent } };
        }
        let a_moment_ago = |(used, at): &(u64, u64)| *used == number && now.saturating_sub(*at) < grace;
        if self.recent.iter().any(a_moment_ago) {
            return Presented::Again { successor: self.next };
        }
        Presented::Reused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GRACE: u64 = 10_000;

    fn first(rotation: &Rotation, number: u64, now: u64) -> Rotation {
        match rotation.present(number, now, GRACE) {
            Presented::First { record, .. } => record,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_token_just_used_answers_within_the_grace_and_not_after() {
        let used = first(&Rotation::default(), 0, 1_000);
        assert_eq!(used.present(0, 10_999, GRACE), Presented::Again { successor: 1 });
        assert_eq!(used.present(0, 11_000, GRACE), Presented::Reused);
    }

    #[test]
    fn a_retry_is_given_the_newest_successor_even_when_the_chain_has_moved_on() {
        let once = first(&Rotation::default(), 0, 0);
        let twice = first(&once, 1, 5_000);
        assert_eq!(twice.present(0, 9_000, GRACE), Presented::Again { successor: 2 });
        assert_eq!(twice.present(0, 10_000, GRACE), Presented::Reused);
        assert_eq!(twice.present(1, 10_000, GRACE), Presented::Again { successor: 2 });
    }

    #[test]
    fn without_a_grace_every_second_use_is_a_reuse() {
        let used = match Rotation::default().present(0, 0, 0) {
            Presented::First { record, .. } => record,
            other => panic!("{other:?}"),
        };
        assert_eq!(used.present(0, 0, 0), Presented::Reused);
    }

    proptest! {
        /// Whatever is presented when: a number is used for the first time once at most, the record stays small, and
        /// a successor is always a number that was never used.
        #[test]
        fn no_number_is_first_twice(steps in prop::collection::vec((0_u64..12, 0_u64..6_000), 1..80)) {
            let (mut rotation, mut now, mut used) = (Rotation::default(), 0, std::collections::HashSet::new());
            for (number, wait) in steps {
                now += wait;
                match rotation.present(number, now, GRACE) {
                    Presented::First { successor, record } => {
                        prop_assert!(used.insert(number));
                        prop_assert!(used.iter().all(|used| *used < successor));
                        prop_assert!(record.recent.len() <= REMEMBERED);
                        rotation = record;
                    }
                    Presented::Again { successor } => prop_assert!(!used.contains(&successor)),
                    Presented::Reused => prop_assert!(number < rotation.next),
                }
            }
        }
    }
}
