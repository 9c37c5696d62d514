//! Changes of the credentials that have begun in a session and are not finished (specification §11.6).

use super::State;
use crate::background::LONGEST;
use crate::core::session::skew::{SKEW, lasts};
use crate::crypto::ring::KeyRing;
use std::iter;

/// After this time, in milliseconds, a change is over or was interrupted. It runs in a task that is cancelled after
/// [`LONGEST`], and the clock of the instance where it began may be behind.
const LIMIT: u64 = (LONGEST.as_secs() + SKEW.as_secs()) * 1000;

impl State {
    /// The mark of each change, and when it began, in milliseconds. That is unknown of all or of none.
    fn changes(&self) -> impl Iterator<Item = (&String, Option<u64>)> {
        self.unfinished.iter().zip(self.began.iter().copied().map(Some).chain(iter::repeat(None)))
    }

    /// Records that a change to this mark has begun.
    pub(super) fn add_change(&mut self, mark: String, now: u64) {
        self.date_changes(now);
        self.unfinished.insert(0, mark);
        self.began.insert(0, now);
        self.forget_changes_without_mark();
    }

    /// Gives the change that has one of these marks another mark: its credentials are the same.
    pub(super) fn add_mark_of_change(&mut self, marks: &KeyRing<String>, mark: &str) {
        let Some(at) = self.unfinished.iter().position(|known| marks.any(|mark| mark == known)) else {
            return;
        };
        if self.unfinished.iter().any(|known| known == mark) {
            return;
        }
        self.unfinished.insert(at, mark.to_owned());
        if let Some(began) = self.began.get(at).copied() {
            self.began.insert(at, began);
        }
    }

    /// Forgets the changes whose marks the session does not accept any more.
    pub(super) fn forget_changes_without_mark(&mut self) {
        let is_known: Vec<_> = self.unfinished.iter().map(|mark| self.accepts(mark)).collect();
        self.retain_changes(&is_known);
    }

    /// Forgets the change to this mark.
    pub(super) fn forget_change(&mut self, mark: &str) {
        let is_another: Vec<_> = self.unfinished.iter().map(|known| known != mark).collect();
        self.retain_changes(&is_another);
    }

    fn retain_changes(&mut self, is_kept: &[bool]) {
        let mut kept = is_kept.iter().copied();
        self.unfinished.retain(|_| kept.next().unwrap_or_default());
        let mut kept = is_kept.iter().copied();
        self.began.retain(|_| kept.next().unwrap_or_default());
    }

    /// Whether a change has begun and is not finished.
    pub(in crate::core::session) const fn has_unfinished_change(&self) -> bool {
        !self.unfinished.is_empty()
    }

    /// Whether it is unknown when changes began: an instance of an earlier release has written the state, which did not
    /// record it.
    pub(in crate::core::session) const fn has_undated_changes(&self) -> bool {
        self.began.len() != self.unfinished.len()
    }

    /// Gives changes without a time this one.
    pub(in crate::core::session) fn date_changes(&mut self, now: u64) {
        if self.has_undated_changes() {
            self.began = vec![now; self.unfinished.len()];
        }
    }

    /// Whether one of the changes was interrupted: it began so long ago that nothing of it runs any more.
    pub(in crate::core::session) fn has_interrupted_change(&self, now: u64) -> bool {
        self.interrupted(now).next().is_some()
    }

    fn interrupted(&self, now: u64) -> impl Iterator<Item = &String> {
        let is_interrupted = move |began: &Option<u64>| began.is_some_and(|began| !lasts(LIMIT, began, now));
        self.changes().filter(move |(_, began)| is_interrupted(began)).map(|(mark, _)| mark)
    }

    /// Whether the user's record, which has these marks, was written by a change that was interrupted, or has credentials that
    /// the session does not know. Then what was issued under the previous credentials must end.
    pub(in crate::core::session) fn is_left_behind(&self, marks: &KeyRing<String>, now: u64) -> bool {
        marks.any(|mark| self.interrupted(now).any(|changed| changed == mark))
            || !marks.any(|mark| self.accepts(mark))
    }

    /// Takes the changes back that were interrupted.
    pub(in crate::core::session) fn take_interrupted_changes_back(&mut self, now: u64) {
        let interrupted: Vec<_> = self.interrupted(now).cloned().collect();
        for mark in interrupted {
            self.move_back(&mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Method, Methods};

    fn marks(credentials: &str) -> KeyRing<String> {
        KeyRing::new(format!("new {credentials}"), vec![format!("old {credentials}")])
    }

    fn state() -> State {
        State::new("auth", "new 0".to_owned(), Methods::of(Method::Password), 0)
    }

    #[test]
    fn a_change_was_interrupted_three_minutes_after_its_begin() {
        let mut state = state();
        state.begin_change("new 1".to_owned(), 1_000);
        assert!(!state.has_interrupted_change(180_999) && state.has_interrupted_change(181_000));
        // A later change is judged by its own time.
        state.begin_change("new 2".to_owned(), 180_000);
        assert!(state.is_left_behind(&marks("1"), 181_000));
        assert!(!state.is_left_behind(&marks("2"), 181_000) && !state.is_left_behind(&marks("0"), 181_000));
        assert!(state.is_left_behind(&marks("3"), 181_000), "nothing knows these credentials");
        state.take_interrupted_changes_back(181_000);
        assert!(state.accepts("new 2") && state.accepts("new 0") && !state.accepts("new 1"));
        state.take_interrupted_changes_back(360_000);
        assert_eq!(state, self::state());
    }

    #[test]
    fn a_time_that_no_clock_can_have_written_is_long_ago() {
        let mut state = state();
        state.begin_change("new 1".to_owned(), 1_000_000);
        assert!(!state.has_interrupted_change(940_000) && state.has_interrupted_change(939_999));
    }

    #[test]
    fn a_hash_of_the_changed_password_belongs_to_the_change() {
        let mut state = state();
        state.begin_change("new 1".to_owned(), 0);
        state.hash_again(&marks("1"), &marks("1 again"));
        assert!(state.is_left_behind(&marks("1 again"), 180_000));
        state.take_interrupted_changes_back(180_000);
        assert_eq!(state, self::state());
        // One of the previous password does not.
        state.begin_change("new 1".to_owned(), 0);
        state.hash_again(&marks("0"), &marks("0 again"));
        assert!(!state.is_left_behind(&marks("0 again"), 180_000));
        state.take_interrupted_changes_back(180_000);
        assert!(state.accepts("new 0 again") && state.accepts("new 0") && !state.accepts("new 1"));
    }

    #[test]
    fn a_mark_with_another_key_belongs_to_the_change() {
        let mut state = state();
        state.begin_change("old 1".to_owned(), 0);
        state.renew(&marks("1"));
        assert!(state.accepts("new 1"));
        state.take_interrupted_changes_back(180_000);
        assert_eq!(state, self::state());
    }

    #[test]
    fn changes_without_a_time_begin_when_they_are_seen() {
        let mut state = state();
        state.begin_change("new 1".to_owned(), 0);
        state.began.clear();
        assert!(state.has_undated_changes() && !state.has_interrupted_change(u64::MAX));
        let mut changed_again = state.clone();
        changed_again.begin_change("new 2".to_owned(), 5_000);
        assert_eq!(changed_again.began, [5_000, 5_000]);
        state.date_changes(7_000);
        assert!(!state.has_undated_changes() && state.has_interrupted_change(187_000));
    }

    #[test]
    fn only_changes_whose_marks_are_kept_are_remembered() {
        let mut state = state();
        for number in 1..=9 {
            state.begin_change(format!("new {number}"), number);
        }
        assert_eq!(state.unfinished, ["new 9", "new 8", "new 7", "new 6", "new 5"]);
        assert_eq!(state.began, [9, 8, 7, 6, 5]);
        assert!(state.move_back("new 7"));
        assert_eq!((state.unfinished.len(), state.began.as_slice()), (4, [9, 8, 6, 5].as_slice()));
        state.settle("new 9".to_owned(), 9);
        assert!(state.unfinished.is_empty() && state.began.is_empty());
    }
}
