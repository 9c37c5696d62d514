//! Names and sentences that are computed from a row.

use super::FeatureRow;

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

/// The sentence for a feature that another one requires, at compile time and at start-up. Both sides replace the words
/// in braces.
pub(super) const MISSING_FEATURE: &str = "Missing feature: {required}. {feature} requires it.";

/// [`MISSING_FEATURE`] for this feature.
pub(crate) fn missing_feature(feature: &FeatureRow, required: &str) -> String {
    MISSING_FEATURE.replace("{required}", required).replace("{feature}", feature.word)
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
