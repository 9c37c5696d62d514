//! What a row of the list says.

use super::{Place, missing_provider};

/// A feature (specification §4.1).
#[derive(Debug)]
pub(crate) struct FeatureRow {
    /// The constant, which is the word in `features: […]`. The variant and the value are computed from it.
    pub(crate) word: &'static str,
    /// The builder's method, unless it has the name of the word.
    pub(crate) method: Option<&'static str>,
    /// A sentence that names its routes.
    pub(crate) routes: &'static str,
    /// Its providers, in the order of the parameters of the builder's method.
    pub(crate) needs: &'static [Provider],
    /// The trait of the library's module `user` that the user record must have, as the derive gives it for an attribute.
    pub(crate) record: Option<&'static str>,
    /// What it requires of other features.
    pub(crate) requires: &'static [Requirement],
    /// The cargo features of the library that must be enabled. Each must be in [`CARGO_FEATURES`](super::CARGO_FEATURES).
    pub(crate) cargo_features: &'static [&'static str],
    /// Whether it requires an option of the configuration, which is known when the program starts.
    pub(crate) needs_option: bool,
}

/// Other features that a feature requires (specification §4.4).
#[derive(Debug)]
pub(crate) struct Requirement {
    /// The word of a feature with which alone there is this requirement. `None`: there always is.
    pub(crate) with: Option<&'static str>,
    /// The words of the features of which one must be listed.
    pub(crate) any_of: &'static [&'static str],
}

/// A value that a host supplies for a feature (specification §3). No two features need the same.
#[derive(Debug)]
pub(crate) struct Provider {
    /// The word before the colon.
    pub(crate) word: &'static str,
    /// The module of the library that has the trait.
    pub(crate) module: &'static str,
    /// The trait that the value implements.
    pub(crate) trait_name: &'static str,
    /// The message of a delivery, which is the trait's parameter.
    pub(crate) message: Option<&'static str>,
    pub(crate) place: Place,
    /// The provider's purpose, to continue a sentence.
    pub(crate) about: &'static str,
    /// Values to paste, each with a remark, which may be empty. The first is the default.
    pub(crate) choices: &'static [(&'static str, &'static str)],
    /// How it is given to a module without a feature that needs it. `None`: it would have no use.
    pub(crate) setting: Option<Setting>,
}

/// A provider that a module can have, and which has a default.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The builder's method.
    pub(crate) method: &'static str,
    /// The trait that several instances of a host require, if they must share it.
    pub(crate) shared_trait: Option<&'static str>,
    /// The words of the features that use it. Empty: every module does.
    pub(crate) with: &'static [&'static str],
}

impl Provider {
    /// Whether its trait is generic over the host's user type, as those of actions are.
    pub(crate) fn is_of_users(&self) -> bool {
        self.place == Place::Actions
    }

    /// What an editor shows of its word: the message of a delivery, and otherwise the trait.
    pub(crate) fn shown(&self) -> &'static str {
        self.message.unwrap_or(self.trait_name)
    }

    /// Whether a feature needs it, or uses it.
    pub(crate) fn serves(&self, feature: &FeatureRow) -> bool {
        let is_used = self.setting.as_ref().is_some_and(|setting| setting.with.contains(&feature.word));
        is_used || feature.needs.iter().any(|need| need.word == self.word)
    }

    /// A value to paste.
    pub(crate) fn example(&self) -> &'static str {
        self.choices.first().map_or("…", |(_, value)| value)
    }

    /// The sentence of specification §23.2 that says that it is missing.
    pub(crate) fn missing(&self) -> String {
        match self.place {
            Place::Own | Place::Actions => missing_provider(self.trait_name),
            Place::Delivery => format!("Missing delivery: {}. Say {}.", self.word, self.about),
        }
    }
}
