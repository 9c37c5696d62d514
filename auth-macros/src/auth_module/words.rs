//! What a host's word stands for, and what it gave under that name.

use super::catalog::Place;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;

/// A word before a colon, as the host wrote it. `place` is the map that it stands in, or `None` for the macro itself.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) place: Option<Place>,
    pub(crate) written: Ident,
}

/// A known word that the host wrote, or probably meant.
///
/// A misspelled word is reported, and counts from then on as the word that was probably meant, so that nothing else
/// is reported because of it.
#[derive(Clone, Debug)]
pub(crate) struct Meant<T> {
    pub(crate) written: Ident,
    pub(crate) what: T,
    exact: bool,
}

impl<T> Meant<T> {
    /// A word that stands in the wrong place, which has been reported.
    pub(crate) fn elsewhere(written: Ident, what: T) -> Self {
        Self { written, what, exact: false }
    }
}

/// Looks a word up. `kind` is what such words are called: `key`.
pub(crate) fn meant<T>(
    written: Ident,
    kind: &str,
    known: &(impl Iterator<Item = (&'static str, T)> + Clone),
    errors: &mut Errors,
) -> Option<Meant<T>> {
    let name = written.to_string();
    let find = |word: &str| known.clone().find(|(known, _)| *known == word).map(|(_, what)| what);
    if let Some(what) = find(&name) {
        return Some(Meant { written, what, exact: true });
    }
    let words = known.clone().map(|(word, _)| word);
    let help = suggest::help(&name, words.clone());
    errors.report(written.span(), format!("there is no {kind} `{name}`\n\n{help}"));
    let what = find(suggest::nearest(&name, words)?)?;
    Some(Meant { written, what, exact: false })
}

/// Something that can be given once: nothing yet, or a word and its value. The value is missing when it could not
/// be read, which has been reported; the word then still counts as given.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    given: Option<Given<T>>,
    /// What else was given, which has been reported.
    dropped: Vec<T>,
}

/// What was given.
#[derive(Debug)]
struct Given<T> {
    word: Ident,
    exact: bool,
    value: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { given: None, dropped: Vec::new() }
    }
}

impl<T> Slot<T> {
    /// Takes a value. One that is given again is reported and put away, and a guess gives way without a word.
    pub(crate) fn give<W>(&mut self, word: &Meant<W>, value: Option<T>, errors: &mut Errors) {
        let given = Given { word: word.written.clone(), exact: word.exact, value };
        let dropped = match &mut self.given {
            Some(earlier) if earlier.exact => {
                if given.exact {
                    let message = format!("`{}` is given twice\n\nhelp: keep one of them", given.word);
                    errors.report(given.word.span(), message);
                }
                given.value
            }
            earlier => earlier.replace(given).and_then(|guess| guess.value),
        };
        self.dropped.extend(dropped);
    }

    /// The values that were put away.
    pub(crate) fn dropped(&self) -> &[T] {
        &self.dropped
    }

    /// Whether the host wrote the word, with a readable value or not.
    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// The word, if it is spelled as it should be.
    pub(crate) fn exact_word(&self) -> Option<&Ident> {
        self.given.as_ref().filter(|given| given.exact).map(|given| &given.word)
    }

    /// Every value that could be read, the one that counts first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.value().into_iter().chain(&self.dropped)
    }

    /// The value, if there is one that could be read.
    pub(crate) fn value(&self) -> Option<&T> {
        self.given.as_ref()?.value.as_ref()
    }

    /// The same, to be added to.
    pub(crate) fn value_mut(&mut self) -> Option<&mut T> {
        self.given.as_mut()?.value.as_mut()
    }

    /// The word and its value, if there is one that could be read.
    pub(crate) fn pair(&self) -> Option<(Ident, T)>
    where
        T: Clone,
    {
        Some((self.given.as_ref()?.word.clone(), self.value()?.clone()))
    }
}
