//! Looks up the host's words, and stores the value that the host gave for each word.

use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;

/// A known word that the host wrote, or probably meant.
///
/// A misspelled word is reported. From then on it counts as the word that was probably meant, so that no further error
/// follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Resolved<T> {
    pub(crate) written: Ident,
    pub(crate) what: T,
    /// Whether the word is spelled correctly and in the right place.
    exact: bool,
}

impl<T> Resolved<T> {
    /// A word in the wrong place, which was reported.
    pub(crate) fn misplaced(written: Ident, what: T) -> Self {
        Self { written, what, exact: false }
    }
}

/// Looks up a word. `kind` is used in the message: `there is no key`.
pub(crate) fn resolve<T>(
    written: Ident,
    kind: &str,
    known: &(impl Iterator<Item = (&'static str, T)> + Clone),
    errors: &mut Errors,
) -> Option<Resolved<T>> {
    let name = written.to_string();
    let find = |word: &str| known.clone().find(|(known, _)| *known == word).map(|(_, what)| what);
    if let Some(what) = find(&name) {
        return Some(Resolved { written, what, exact: true });
    }
    let words = known.clone().map(|(word, _)| word);
    let help = suggest::help(&name, words.clone());
    errors.report(written.span(), format!("there is no {kind} `{name}`\n\n{help}"));
    let what = find(suggest::nearest(&name, words)?)?;
    Some(Resolved { written, what, exact: false })
}

/// A value that can be given once, with the word before it. The value is missing if it could not be read, which was
/// reported; the word then still counts as given.
#[derive(Debug)]
pub(crate) struct Once<T> {
    given: Option<WordAndValue<T>>,
    /// Values that were given again, which was reported.
    repeated: Vec<T>,
}

/// A word and its value.
#[derive(Debug)]
struct WordAndValue<T> {
    word: Ident,
    exact: bool,
    value: Option<T>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self { given: None, repeated: Vec::new() }
    }
}

impl<T> Once<T> {
    /// Takes a value. A second one is reported and kept aside; a word that was only guessed is replaced silently.
    pub(crate) fn give<W>(&mut self, word: &Resolved<W>, value: Option<T>, errors: &mut Errors) {
        let given = WordAndValue { word: word.written.clone(), exact: word.exact, value };
        let repeated = match &mut self.given {
            Some(earlier) if earlier.exact => {
                if given.exact {
                    let message = format!("`{}` is given twice\n\nhelp: keep one of them", given.word);
                    errors.report(given.word.span(), message);
                }
                given.value
            }
            earlier => earlier.replace(given).and_then(|guess| guess.value),
        };
        self.repeated.extend(repeated);
    }

    /// Values that were given again.
    pub(crate) fn repeated(&self) -> &[T] {
        &self.repeated
    }

    /// Whether the host wrote the word, with a readable value or without.
    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// The word, if it is spelled correctly and in the right place.
    pub(crate) fn exact_word(&self) -> Option<&Ident> {
        self.given.as_ref().filter(|given| given.exact).map(|given| &given.word)
    }

    /// Every readable value, the one that counts first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.value().into_iter().chain(&self.repeated)
    }

    /// The value, if there is a readable one.
    pub(crate) fn value(&self) -> Option<&T> {
        self.given.as_ref()?.value.as_ref()
    }

    /// The same, mutable.
    pub(crate) fn value_mut(&mut self) -> Option<&mut T> {
        self.given.as_mut()?.value.as_mut()
    }

    /// The word and its value, if there is a readable one.
    pub(crate) fn pair(&self) -> Option<(Ident, T)>
    where
        T: Clone,
    {
        Some((self.given.as_ref()?.word.clone(), self.value()?.clone()))
    }
}
