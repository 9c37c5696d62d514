//! Names and sentences that are computed from a row.

use super::{FeatureRow, Requirement};
use crate::suggest;

/// The variant of `Feature`: `ResetPasswords` for `RESET_PASSWORDS`.
pub(crate) fn variant(word: &str) -> String {
    let capitalised = |part: &str| part.chars().take(1).chain(part.to_lowercase().chars().skip(1)).collect();
    word.split('_').map(capitalised).collect::<Vec<String>>().concat()
}

/// The value in configuration files and environments: `reset-passwords`.
pub(crate) fn value(word: &str) -> String {
    word.to_lowercase().replace('_', "-")
}

/// The builder's method: `reset_passwords`.
pub(crate) fn method(row: &FeatureRow) -> String {
    row.method.map_or_else(|| row.word.to_lowercase(), str::to_owned)
}

/// The sentence of specification §23.2 for a repository or an action.
pub(crate) fn missing_provider(trait_name: &str) -> String {
    format!("Missing provider: {}. Register an implementation of {trait_name}.", screaming_snake(trait_name))
}

/// The sentence for a requirement of a feature that is not met, at compile time and at start-up.
pub(crate) fn missing_feature(feature: &FeatureRow, required: &Requirement) -> String {
    let what = suggest::list(required.any_of.iter().copied(), "or").replace('`', "");
    let with = required.with.map(|with| format!(" together with {with}")).unwrap_or_default();
    let it = if required.any_of.len() == 1 { "it" } else { "one of them" };
    format!("Missing feature: {what}. {}{with} requires {it}.", feature.word)
}

/// What a feature requires, for its documentation: `EMAIL_VERIFICATION (together with REGISTRATION)`.
pub(crate) fn requirement(required: &Requirement) -> String {
    let what = suggest::list(required.any_of.iter().copied(), "or").replace('`', "");
    let with = required.with.map(|with| format!(" (together with {with})")).unwrap_or_default();
    format!("{what}{with}")
}

/// `CREATES_NEW_USERS` for `CreatesNewUsers`.
fn screaming_snake(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.push(letter.to_ascii_uppercase());
    }
    words
}
