//! Compares what the listed features need with what the host gives.

use super::listed::{Listed, ListedFeatures};
use super::lookup::Once;
use super::parse::{Given, Input, ProviderMap, Supply};
use super::unused::uses_base;
use super::vocabulary::{Deployment, Key, keys};
use crate::catalog::{
    self, CARGO_FEATURES, FEATURES, FeatureRow, Place, Provider, missing_provider, providers,
};
use crate::crate_path::LIBRARY;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::{Ident, Span};

/// Reports values that are missing and values that no listed feature needs.
pub(crate) fn check(input: &Input, list: &ListedFeatures, errors: &mut Errors) {
    if input.has_every_key {
        report_missing_keys(input, errors);
    }
    report_missing_features(list, errors);
    report_missing_cargo_features(list, CARGO_FEATURES, errors);
    report_missing_providers(input, list, errors);
    report_not_shared(input, list, errors);
    if list.is_complete {
        report_unneeded(input, list, errors);
    }
}

/// Reports each missing key that every module needs. There is no word to point at, so the error points at the first
/// key, in front of which the missing one can be pasted.
fn report_missing_keys(input: &Input, errors: &mut Errors) {
    let place = input.recovered.labels.first().map_or_else(Span::call_site, |label| label.word.span());
    for (word, key) in keys() {
        let (is_given, missing, remark) = match key {
            Key::Config => {
                let missing = "`config` is missing: the module's secrets and options";
                (input.config.is_given(), missing.to_owned(), String::new())
            }
            Key::Features => {
                let missing = "`features` is missing: the list of the module's features";
                let remark = format!("// Any of {}:\n    ", suggest::list(catalog::words(), "and"));
                (input.features.is_given(), missing.to_owned(), remark)
            }
            Key::UserRepo => {
                let remark = "// From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::repository::UserRepository`:\n    ";
                (input.user_repo.is_given(), missing_provider("UserRepository"), remark.to_owned())
            }
            // Required by features, or optional.
            Key::Own(_)
            | Key::Actions
            | Key::Delivery
            | Key::Events
            | Key::PasswordVerifier
            | Key::Policy
            | Key::Store
            | Key::Realm
            | Key::Messages
            | Key::Deployment => continue,
        };
        if !is_given {
            let example = key.example();
            errors.report(place, format!("{missing}\n\nhelp: add here:\n    {remark}{word}: {example},"));
        }
    }
}

/// Reports a `deployment: many` without a store or without sessions that all instances share.
fn report_not_shared(input: &Input, list: &ListedFeatures, errors: &mut Errors) {
    let many = input.deployment.value().filter(|(_, deployment)| *deployment == Deployment::Many);
    let Some((many, _)) = many else { return };
    for (provider, slot) in &input.own {
        // A feature that needs the provider has reported that it is missing.
        let is_needed = list.needs().any(|need| need.word == provider.word);
        let shared = provider.setting.as_ref().and_then(|setting| setting.shared_trait);
        let Some(shared) = shared.filter(|_| !slot.is_given() && !is_needed) else { continue };
        let (word, module) = (provider.word, provider.module);
        errors.report(
            many.span(),
            format!(
                "`deployment: many` needs a `{word}` that all instances share\n\n\
                 help: add:{}\n\
                 note: it must be marked with `axum_auth_module::{module}::{shared}`; in memory, what one instance \
                 stores is unknown to the others",
                lines(provider, 1)
            ),
        );
    }
    if !input.store.is_given() {
        errors.report(
            many.span(),
            "`deployment: many` needs a store that all instances share\n\n\
             help: add:\n    \
             // From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::store::SharedStore`:\n    \
             store: axum_auth_module::sql::SqlStore::new(pool.clone()),\n\
             note: with a store in memory, each instance would count attempts for itself, and a code could be used once \
             at each",
        );
    }
}

/// Reports each feature that a listed one requires and that is not listed. The list may be incomplete because of a word
/// that was not understood; then nothing is reported.
fn report_missing_features(list: &ListedFeatures, errors: &mut Errors) {
    if !list.is_complete {
        return;
    }
    for Listed { word, feature, .. } in &list.features {
        let is_listed = |word: &str| list.features.iter().any(|listed| listed.feature.word == word);
        for required in feature.requires.iter().filter(|required| required.with.is_none_or(is_listed)) {
            if required.any_of.iter().any(|word| is_listed(word)) {
                continue;
            }
            let missing = catalog::missing_feature(feature, required);
            let add = required.any_of.first().copied().unwrap_or_default();
            errors.report(word.span(), format!("{missing}\n\nhelp: add to `features`:\n    {add},"));
        }
    }
}

/// Reports each cargo feature that a listed feature requires and that is not enabled, of these.
fn report_missing_cargo_features(list: &ListedFeatures, enabled: &[(&str, bool)], errors: &mut Errors) {
    let rename = match errors.library() {
        LIBRARY => String::new(),
        name => format!(" --rename {name}"),
    };
    for listed in &list.features {
        for required in listed.missing_cargo_features(enabled) {
            errors.report(
                listed.word.span(),
                format!(
                    "Missing cargo feature: {required}. {} requires it.\n\n\
                     help: run `cargo add axum-auth-module{rename} --features {required}`",
                    listed.feature.word
                ),
            );
        }
    }
}

fn report_missing_providers(input: &Input, list: &ListedFeatures, errors: &mut Errors) {
    let missing: Vec<Missing<'_>> = list
        .available()
        .flat_map(|listed| listed.feature.needs.iter().map(move |provider| Missing { listed, provider }))
        .filter(|missing| matches!(input.given(missing.provider), Given::Missing))
        .collect();
    for one in &missing {
        let has_key = input.supply(one.provider.place).is_some_and(Once::is_given);
        errors.report(one.listed.word.span(), one.message(&missing, has_key));
    }
}

/// A missing provider, and the feature that needs it.
struct Missing<'a> {
    listed: &'a Listed,
    provider: &'static Provider,
}

impl Missing<'_> {
    /// The message. If the key for such providers is missing too, the help contains the key with all of them, so that
    /// the help of one message mends all.
    fn message(&self, missing: &[Self], has_key: bool) -> String {
        let place = self.provider.place;
        let help = match place.key() {
            None => format!("help: add:{}", lines(self.provider, 1)),
            Some(key) if has_key => format!("help: add to `{key}`:{}", lines(self.provider, 1)),
            Some(key) => {
                let alike = missing.iter().filter(|other| other.provider.place == place);
                let lines: String = alike.map(|other| lines(other.provider, 2)).collect();
                format!("help: add:\n    {key}: {{{lines}\n    }},")
            }
        };
        format!("{}\n\n{help}\nnote: required by {}", self.provider.missing(), self.listed.feature.word)
    }
}

/// The lines to paste for a provider: its first choice, and the others as comments.
fn lines(provider: &Provider, depth: usize) -> String {
    let begin = format!("\n{}", "    ".repeat(depth));
    let choice = |(number, (remark, value)): (usize, &(&str, &str))| {
        let remark = if remark.is_empty() { String::new() } else { format!("{begin}// {remark}") };
        let comment = if number == 0 { "" } else { "// " };
        format!("{remark}{begin}{comment}{}: {value},", provider.word)
    };
    provider.choices.iter().enumerate().map(choice).collect()
}

/// Reports what is given and needed by no listed feature: the host may believe that it is in use.
fn report_unneeded(input: &Input, list: &ListedFeatures, errors: &mut Errors) {
    for (provider, slot) in input.own.iter().filter(|(provider, _)| provider.setting.is_none()) {
        report_if_unneeded(slot.exact_word(), &[provider], list, errors);
    }
    for place in Place::SHARED {
        let Some(supply) = input.supply(place) else { continue };
        match supply.value() {
            Some(Supply::One(_)) => {
                let all: Vec<_> = providers(place).map(|(_, provider)| provider).collect();
                report_if_unneeded(supply.exact_word(), &all, list, errors);
            }
            Some(Supply::Map(map)) => {
                for (provider, slot) in &map.named {
                    report_if_unneeded(slot.exact_word(), &[provider], list, errors);
                }
                report_unneeded_base(map, place, list, errors);
            }
            None => {}
        }
    }
}

/// Reports a word that the host gave for these providers, unless a listed feature needs one of them.
fn report_if_unneeded(
    word: Option<&Ident>,
    providers: &[&Provider],
    list: &ListedFeatures,
    errors: &mut Errors,
) {
    let needs = |feature: &FeatureRow| providers.iter().any(|provider| provider.serves(feature));
    let Some(word) = word.filter(|_| !list.features.iter().any(|listed| needs(listed.feature))) else {
        return;
    };
    let features = FEATURES.iter().filter(|feature| needs(feature)).map(|feature| feature.word);
    let message = format!(
        "`{word}` is given, but no listed feature needs it\n\nhelp: remove it, or list {}",
        suggest::list(features, "or")
    );
    errors.report(word.span(), message);
}

/// Reports `..value` if no provider is left for it.
fn report_unneeded_base(map: &ProviderMap, place: Place, list: &ListedFeatures, errors: &mut Errors) {
    let needs: Vec<_> = list.features.iter().flat_map(|listed| listed.feature.needs).collect();
    let Some(base) = map.base.as_ref().filter(|_| !uses_base(map, place, &needs)) else { return };
    let kind = place.kind();
    let message = match needs.iter().any(|need| need.place == place) {
        true => format!("`..` is unused: every {kind} that the listed features need is given by name"),
        false => format!("`..` is unused: no listed feature needs {}", place.some()),
    };
    errors.report_all(&base.tokens, format!("{message}\n\nhelp: remove it"));
}

#[cfg(test)]
mod tests;
