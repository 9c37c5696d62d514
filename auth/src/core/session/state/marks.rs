//! The marks of the credentials under which a session continues (specification §10.4, §11.6).

use super::{CookieNumbers, State};
use crate::crypto::ring::KeyRing;
use subtle::ConstantTimeEq;

/// How many previous marks of credentials are kept.
const PREVIOUS: usize = 4;

impl State {
    /// Whether a token or a record with this mark of credentials belongs to the session.
    pub(in crate::core::session) fn accepts(&self, generation: &str) -> bool {
        let equals = |known: &String| bool::from(known.as_bytes().ct_eq(generation.as_bytes()));
        equals(&self.generation) || self.was.iter().any(equals)
    }

    /// Changes the mark and keeps the previous one. Returns whether the mark is another one.
    pub(in crate::core::session) fn move_to(&mut self, generation: String) -> bool {
        let before = std::mem::replace(&mut self.generation, generation);
        let is_moved = before != self.generation;
        if is_moved {
            self.was.retain(|known| *known != self.generation);
            self.was.insert(0, before);
            self.was.truncate(PREVIOUS);
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
    pub(in crate::core::session) fn begin_change(&mut self, generation: String, now: u64) -> bool {
        let is_moved = self.move_to(generation);
        if is_moved {
            self.add_change(self.generation.clone(), now);
        }
        is_moved
    }

    /// Whether `now` has the same credentials as `before`, whose password was only hashed again.
    pub(in crate::core::session) fn was_only_hashed_again(
        &self,
        before: &KeyRing<String>,
        now: &KeyRing<String>,
    ) -> bool {
        let is_changing = now.any(|mark| self.changing.contains(mark));
        !is_changing && before.any(|mark| self.accepts(mark)) && now.any(|mark| self.accepts(mark))
    }

    /// Adds the current mark of these credentials beside the one that the state has of them, which may have been made with
    /// a previous key. The credentials that the session accepts stay the same.
    pub(in crate::core::session) fn renew(&mut self, marks: &KeyRing<String>) {
        if self.accepts(marks.current()) {
            return;
        }
        let belongs = |known: &String| marks.any(|mark| mark == known);
        if belongs(&self.generation) {
            self.move_to(marks.current().clone());
        } else if let Some(at) = self.was.iter().position(belongs) {
            self.was.insert(at, marks.current().clone());
            self.was.truncate(PREVIOUS);
        }
        self.add_mark_of_change(marks, marks.current());
        self.forget_changes_without_mark();
    }

    /// Takes a change of the mark back. Returns whether there was anything to take back.
    pub(in crate::core::session) fn move_back(&mut self, generation: &str) -> bool {
        self.forget_change(generation);
        if self.generation == generation && !self.was.is_empty() {
            self.generation = self.was.remove(0);
            return true;
        }
        let count = self.was.len();
        self.was.retain(|known| known != generation);
        self.was.len() < count
    }

    /// Makes this the only mark, for tokens that are issued from now on. Returns the number of the only valid cookie, if it
    /// is a browser session.
    pub(in crate::core::session) fn settle(&mut self, generation: String, now: u64) -> Option<u64> {
        self.generation = generation;
        self.was.clear();
        self.changing.clear();
        self.began.clear();
        self.since = self.since.max(now);
        self.cookie.as_mut().map(CookieNumbers::replace_all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ring of a mark that was made with the key `new` and, before that, with `old`.
    fn marks(credentials: &str) -> KeyRing<String> {
        KeyRing::new(format!("new {credentials}"), vec![format!("old {credentials}")])
    }

    fn with_marks(generation: &str, was: &[&str]) -> State {
        let mut state = State::new("auth", generation.to_owned(), &["pwd"], 0);
        state.was = was.iter().map(|&mark| mark.to_owned()).collect();
        state
    }

    #[test]
    fn a_mark_of_a_previous_key_gets_the_current_one_beside_it() {
        let renewed = |generation, was| {
            let mut state = with_marks(generation, was);
            state.renew(&marks("1"));
            (state.generation, state.was)
        };
        let state = |generation: &str, was: &[&str]| {
            (generation.to_owned(), was.iter().map(|&mark| mark.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(renewed("old 1", &["old 0"]), state("new 1", &["old 1", "old 0"]));
        // A change of the credentials is under way, or a renewed hash was not saved.
        assert_eq!(renewed("new 2", &["old 1", "old 0"]), state("new 2", &["new 1", "old 1", "old 0"]));
        let full = ["old 0", "x", "y", "old 1"];
        assert_eq!(renewed("new 2", &full), state("new 2", &["old 0", "x", "y", "new 1"]));
        for (generation, was) in [
            // The current mark is there already.
            ("new 1", ["old 1"].as_slice()),
            ("old 1", &["new 1"]),
            // These credentials are not accepted, and remain so.
            ("old 2", &["old 0"]),
            ("new 2", &[]),
        ] {
            assert_eq!(renewed(generation, was), state(generation, was));
        }
    }

    #[test]
    fn four_previous_marks_are_kept_and_the_newest_is_first() {
        let mut state = State::new("auth", "0".to_owned(), &["pwd"], 0);
        for number in 1..=6 {
            state.move_to(number.to_string());
        }
        assert_eq!(state.was, ["5", "4", "3", "2"]);
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
        let mut changing = before;
        changing.begin_change("new 1".to_owned(), 0);
        assert!(!was_only_hashed_again(&changing));
        // Another change that has begun meanwhile, and was taken back.
        changing.begin_change("new 2".to_owned(), 0);
        assert!(changing.move_back("new 2") && !was_only_hashed_again(&changing));
        changing.settle("new 1".to_owned(), 9);
        assert!(!was_only_hashed_again(&changing), "the credentials of before are not accepted");
    }
}
