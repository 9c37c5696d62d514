//! The marks of the credentials under which a session continues (specification §10.4, §11.6).

use super::{CookieNumbers, State};
use crate::crypto::ring::KeyRing;
use subtle::ConstantTimeEq;

/// How many previous marks of credentials are kept.
const PREVIOUS: usize = 4;

impl State {
    /// Whether a token or a record with this mark of credentials belongs to the session.
    pub(in crate::core::session) fn accepts(&self, mark: &str) -> bool {
        let equals = |known: &String| bool::from(known.as_bytes().ct_eq(mark.as_bytes()));
        equals(&self.mark) || self.previous.iter().any(equals)
    }

    /// Changes the mark and keeps the previous one. Returns whether the mark is another one.
    pub(in crate::core::session) fn move_to(&mut self, mark: String) -> bool {
        let before = std::mem::replace(&mut self.mark, mark);
        let is_moved = before != self.mark;
        if is_moved {
            self.previous.retain(|known| *known != self.mark);
            self.previous.insert(0, before);
            self.previous.truncate(PREVIOUS);
            self.forget_changes_without_mark();
        }
        is_moved
    }

    /// The same for credentials whose password is hashed again. If they are those of a change that is under way, the new mark
    /// is one of that change, too.
    pub(in crate::core::session) fn hash_again(&mut self, before: &KeyRing<String>, after: &KeyRing<String>) {
        self.move_to(after.current().clone());
        self.add_mark_of_change(before, after.current());
    }

    /// The same for the mark that credentials will have which are about to be changed. `now` is in milliseconds since 1970.
    pub(in crate::core::session) fn begin_change(&mut self, mark: String, now: u64) -> bool {
        let is_moved = self.move_to(mark);
        if is_moved {
            self.add_change(self.mark.clone(), now);
        }
        is_moved
    }

    /// Whether `now` has the same credentials as `before`, whose password was only hashed again.
    pub(in crate::core::session) fn was_only_hashed_again(
        &self,
        before: &KeyRing<String>,
        now: &KeyRing<String>,
    ) -> bool {
        let is_changing = now.any(|mark| self.unfinished.contains(mark));
        !is_changing && before.any(|mark| self.accepts(mark)) && now.any(|mark| self.accepts(mark))
    }

    /// Adds the current mark of these credentials beside the one that the state has of them, which may have been made with
    /// a previous key. The credentials that the session accepts stay the same.
    pub(in crate::core::session) fn renew(&mut self, marks: &KeyRing<String>) {
        if self.accepts(marks.current()) {
            return;
        }
        let belongs = |known: &String| marks.any(|mark| mark == known);
        if belongs(&self.mark) {
            self.move_to(marks.current().clone());
        } else if let Some(at) = self.previous.iter().position(belongs) {
            self.previous.insert(at, marks.current().clone());
            self.previous.truncate(PREVIOUS);
        }
        self.add_mark_of_change(marks, marks.current());
        self.forget_changes_without_mark();
    }

    /// Takes a change of the mark back. Returns whether there was anything to take back.
    pub(in crate::core::session) fn move_back(&mut self, mark: &str) -> bool {
        self.forget_change(mark);
        if self.mark == mark && !self.previous.is_empty() {
            self.mark = self.previous.remove(0);
            return true;
        }
        let count = self.previous.len();
        self.previous.retain(|known| known != mark);
        self.previous.len() < count
    }

    /// Makes this the only mark, for tokens that are issued from now on. Returns the number of the only valid cookie, if it
    /// is a browser session.
    pub(in crate::core::session) fn settle(&mut self, mark: String, now: u64) -> Option<u64> {
        self.mark = mark;
        self.previous.clear();
        self.unfinished.clear();
        self.began.clear();
        self.since = self.since.max(now);
        self.cookie.as_mut().map(CookieNumbers::replace_all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Method, Methods};

    /// The ring of a mark that was made with the key `new` and, before that, with `old`.
    fn marks(credentials: &str) -> KeyRing<String> {
        KeyRing::new(format!("new {credentials}"), vec![format!("old {credentials}")])
    }

    fn with_marks(mark: &str, previous: &[&str]) -> State {
        let mut state = State::new("auth", mark.to_owned(), Methods::of(Method::Password), 0);
        state.previous = previous.iter().map(|&mark| mark.to_owned()).collect();
        state
    }

    #[test]
    fn a_mark_of_a_previous_key_gets_the_current_one_beside_it() {
        let renewed = |mark, previous| {
            let mut state = with_marks(mark, previous);
            state.renew(&marks("1"));
            (state.mark, state.previous)
        };
        let state = |mark: &str, previous: &[&str]| {
            (mark.to_owned(), previous.iter().map(|&mark| mark.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(renewed("old 1", &["old 0"]), state("new 1", &["old 1", "old 0"]));
        // A change of the credentials is under way, or a renewed hash was not saved.
        assert_eq!(renewed("new 2", &["old 1", "old 0"]), state("new 2", &["new 1", "old 1", "old 0"]));
        let full = ["old 0", "x", "y", "old 1"];
        assert_eq!(renewed("new 2", &full), state("new 2", &["old 0", "x", "y", "new 1"]));
        for (mark, previous) in [
            // The current mark is there already.
            ("new 1", ["old 1"].as_slice()),
            ("old 1", &["new 1"]),
            // These credentials are not accepted, and remain so.
            ("old 2", &["old 0"]),
            ("new 2", &[]),
        ] {
            assert_eq!(renewed(mark, previous), state(mark, previous));
        }
    }

    #[test]
    fn four_previous_marks_are_kept_and_the_newest_is_first() {
        let mut state = State::new("auth", "0".to_owned(), Methods::of(Method::Password), 0);
        for number in 1..=6 {
            state.move_to(number.to_string());
        }
        assert_eq!(state.previous, ["5", "4", "3", "2"]);
        assert!(state.accepts("6") && state.accepts("2") && !state.accepts("1"));
        state.settle("7".to_owned(), 9);
        assert!(state.accepts("7") && !state.accepts("6") && state.since == 9);
    }

    #[test]
    fn a_change_that_is_under_way_or_done_is_no_renewed_hash() {
        let was_only_hashed_again = |state: &State| state.was_only_hashed_again(&marks("0"), &marks("1"));
        let before = with_marks("new 0", &[]);
        assert!(!was_only_hashed_again(&before), "these credentials are not accepted");
        let mut hashed_again = before.clone();
        hashed_again.move_to("new 1".to_owned());
        assert!(was_only_hashed_again(&hashed_again));
        let mut unfinished = before;
        unfinished.begin_change("new 1".to_owned(), 0);
        assert!(!was_only_hashed_again(&unfinished));
        // Another change that has begun meanwhile, and was taken back.
        unfinished.begin_change("new 2".to_owned(), 0);
        assert!(unfinished.move_back("new 2") && !was_only_hashed_again(&unfinished));
        unfinished.settle("new 1".to_owned(), 9);
        assert!(!was_only_hashed_again(&unfinished), "the credentials of before are not accepted");
    }
}
