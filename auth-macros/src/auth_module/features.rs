//! Which features the host's list names.

use super::catalog::{FEATURES, Feature};
use super::parse::Input;
use super::parse_features::FeatureWord;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;

/// The features that are listed, each once.
#[derive(Default)]
pub(crate) struct List {
    pub(crate) features: Vec<Listed>,
    /// Whether that is all the host wanted. It is not when a word could not be understood: what seems to be needed
    /// by nothing may then well be needed.
    pub(crate) complete: bool,
}

/// A feature and where it is listed.
pub(crate) struct Listed {
    pub(crate) word: Ident,
    pub(crate) feature: &'static Feature,
    /// Whether the word is written as it should be. Otherwise it is the one that was probably meant.
    pub(crate) exact: bool,
}

impl List {
    /// Reads the words of `features`.
    pub(crate) fn of(input: &Input, errors: &mut Errors) -> Self {
        let Some(given) = input.features.value() else { return Self::default() };
        let mut list = Self { complete: true, ..Self::default() };
        for word in &given.words {
            let Some(listed) = listed(word, errors) else {
                list.complete = false;
                continue;
            };
            match list.features.iter().find(|earlier| earlier.feature.word == listed.feature.word) {
                None => list.features.push(listed),
                Some(earlier) if earlier.exact && listed.exact => {
                    errors.report(
                        word.span,
                        format!("`{}` is listed twice\n\nhelp: keep one of them", listed.word),
                    );
                }
                Some(_) => {}
            }
        }
        list
    }
}

/// The feature that a word names or, when that is reported, probably means.
fn listed(word: &FeatureWord, errors: &mut Errors) -> Option<Listed> {
    let words = FEATURES.iter().map(|feature| feature.word);
    let nearest = suggest::nearest(&word.written, words.clone());
    let feature = nearest.and_then(|nearest| FEATURES.iter().find(|feature| feature.word == nearest));
    let exact = nearest.is_some_and(|nearest| word.bare.as_ref().is_some_and(|bare| bare == nearest));
    match feature {
        Some(_) if exact => {}
        Some(feature) if suggest::is_same(&word.written, feature.word) => {
            let message =
                format!("a feature is listed as one bare word in capitals\n\nhelp: write `{}`", feature.word);
            errors.absorb(syn::Error::new_spanned(&word.entry, message));
        }
        _ => {
            let help = suggest::help(&word.written, words);
            errors.report(word.span, format!("there is no feature `{}`\n\n{help}", word.written));
        }
    }
    feature.map(|feature| Listed { word: Ident::new(feature.word, word.span), feature, exact })
}
