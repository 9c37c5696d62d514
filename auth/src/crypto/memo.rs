//! What was computed last, so that an input that comes again is not computed again.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many results are kept at most.
const SLOTS: usize = 4096;

/// Results of a computation that depends on its input alone. A result contains its input, with which an input is compared: a result is
/// never that of another input.
///
/// A result has one place, by the hash of its name, and stays there until another result takes the place. The hash has a key of this
/// process, so nobody can choose names that fall together.
pub(crate) struct Memo<R> {
    slots: Box<[Mutex<Option<Arc<R>>>]>,
    hasher: RandomState,
}

impl<R> Memo<R> {
    pub(crate) fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| Mutex::new(None)).collect(), hasher: RandomState::new() }
    }

    /// The result of this name, if it is that of the input.
    pub(crate) fn get(&self, name: &str, is_of_input: impl FnOnce(&R) -> bool) -> Option<Arc<R>> {
        let kept = self.slot(name).clone();
        kept.filter(|result| is_of_input(result))
    }

    /// Keeps a result under this name.
    pub(crate) fn keep(&self, name: &str, result: R) -> Arc<R> {
        let result = Arc::new(result);
        let replaced = self.slot(name).replace(Arc::clone(&result));
        drop(replaced);
        result
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the remainder of a division by the length is below the length"
    )]
    fn slot(&self, name: &str) -> MutexGuard<'_, Option<Arc<R>>> {
        let hash = usize::try_from(self.hasher.hash_one(name) % SLOTS as u64).unwrap_or_default();
        self.slots[hash].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_that_of_its_input_alone() {
        let memo = Memo::new();
        assert!(memo.get("a", |_: &(&str, u32)| true).is_none());
        memo.keep("a", ("first", 1));
        let of = |input: &str| memo.get("a", |(known, _)| *known == input).map(|result| result.1);
        assert_eq!((of("first"), of("second")), (Some(1), None));
        memo.keep("a", ("second", 2));
        assert_eq!((of("first"), of("second")), (None, Some(2)));
    }

    /// However many inputs come, the memory is bounded, and what is found is right.
    #[test]
    fn more_results_than_places_replace_each_other() {
        let memo = Memo::new();
        let names: Vec<_> = (0..3 * SLOTS).map(|number| number.to_string()).collect();
        for name in &names {
            memo.keep(name, name.clone());
        }
        let found = names.iter().filter(|name| memo.get(name, |kept| kept == *name).is_some()).count();
        assert!((1..=SLOTS).contains(&found), "{found}");
    }
}
