//! Looks up the words in the host's list of features.

use super::parse::{FeatureEntry, Input};
use crate::catalog::{self, CARGO_FEATURES, FEATURES, FeatureRow, Provider};
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Ident;

/// The listed features, each once.
#[derive(Default)]
pub(crate) struct ListedFeatures {
    pub(crate) features: Vec<Listed>,
    /// Whether every word was understood. If not, a provider that seems to be unused may be needed.
    pub(crate) is_complete: bool,
}

/// A listed feature.
pub(crate) struct Listed {
    /// The word, where the host wrote it.
    pub(crate) word: Ident,
    pub(crate) feature: &'static FeatureRow,
    /// Whether the word is written correctly. Otherwise it is the word that was probably meant.
    pub(crate) is_exact: bool,
}

impl ListedFeatures {
    /// Looks up the words.
    pub(crate) fn of(input: &Input, errors: &mut Errors) -> Self {
        let Some(given) = input.features.value() else { return Self::default() };
        let mut list = Self { is_complete: true, ..Self::default() };
        for entry in &given.entries {
            let Some(listed) = listed(entry, errors) else {
                list.is_complete = false;
                continue;
            };
            match list.features.iter().find(|earlier| earlier.feature.word == listed.feature.word) {
                None => list.features.push(listed),
                Some(earlier) if earlier.is_exact && listed.is_exact => {
                    errors.report(
                        entry.span,
                        format!("`{}` is listed twice\n\nhelp: keep one of them", listed.word),
                    );
                }
                Some(_) => {}
            }
        }
        list
    }

    /// The features that the library has in this build.
    pub(crate) fn available(&self) -> impl Iterator<Item = &Listed> {
        self.features.iter().filter(|listed| listed.missing_cargo_features(CARGO_FEATURES).is_empty())
    }

    /// What the module can have that no available feature needs.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &'static Provider> {
        let is_used = |with: &[&str]| {
            with.is_empty() || self.available().any(|listed| with.contains(&listed.feature.word))
        };
        let is_needed = |provider: &Provider| self.needs().any(|need| need.word == provider.word);
        let used = catalog::settings().filter(move |(_, setting)| is_used(setting.with));
        used.map(|(provider, _)| provider).filter(move |provider| !is_needed(provider))
    }

    /// What the available features need.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &'static Provider> {
        self.available().flat_map(|listed| listed.feature.needs)
    }
}

impl Listed {
    /// The cargo features that it requires and that are not enabled, of these.
    pub(crate) fn missing_cargo_features(&self, enabled: &[(&str, bool)]) -> Vec<&'static str> {
        let required = self.feature.cargo_features.iter().copied();
        required.filter(|required| !enabled.contains(&(required, true))).collect()
    }
}

/// The feature that a word names or, after a report, probably means.
fn listed(entry: &FeatureEntry, errors: &mut Errors) -> Option<Listed> {
    let find = |word: &str| FEATURES.iter().find(|feature| feature.word == word);
    if let Some(bare) = &entry.bare
        && let Some(feature) = find(&entry.written)
    {
        return Some(Listed { word: bare.clone(), feature, is_exact: true });
    }
    let feature = suggest::nearest(&entry.written, catalog::words()).and_then(find);
    match feature {
        Some(feature) if suggest::is_same(&entry.written, feature.word) => {
            let message = format!(
                "a feature is one word in capitals, without a path\n\nhelp: write `{}`",
                feature.word
            );
            errors.report_all(&entry.tokens, message);
        }
        _ => {
            let help = suggest::help(&entry.written, catalog::words());
            errors.report(entry.span, format!("there is no feature `{}`\n\n{help}", entry.written));
        }
    }
    feature.map(|feature| Listed { word: Ident::new(feature.word, entry.span), feature, is_exact: false })
}
