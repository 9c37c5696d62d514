//! The features that a host can switch on (specification §4.1).

use std::fmt;
use std::str::FromStr;

/// Makes the enum and its tables from the list of features.
macro_rules! features {
    (
        features: [$({
            $variant:ident $word:ident $value:literal $routes:literal $needs:literal
            [$({ [$($with:ident)?] [$($required:ident)*] $missing:literal })*]
        })*]
        own: $own:tt
        actions: $about_actions:literal $actions:tt
        delivery: $about_delivery:literal $delivery:tt
    ) => {
        /// An optional behaviour. Login, refresh, logout and password confirmation are always enabled and are no features.
        ///
        /// The associated constants have the names of specification §4.1, which `auth_module!` takes as bare words:
        /// `features: [REGISTRATION]`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Feature {
            $(#[doc = concat!("`", $value, "`")] $variant,)*
        }

        impl Feature {
            $(
                #[doc = $routes]
                #[doc = ""]
                #[doc = $needs]
                pub const $word: Self = Self::$variant;
            )*

            /// All features, in the order of specification §4.1.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The feature's value in configuration files and environments: `reset-passwords`.
            #[must_use]
            pub const fn value(self) -> &'static str {
                match self {
                    $(Self::$variant => $value,)*
                }
            }

            /// What the feature requires of the others (specification §4.4).
            #[must_use]
            pub const fn requires(self) -> &'static [Requirement] {
                match self {
                    $(Self::$variant => &[$(Requirement {
                        with: with!($(Self::$with)?),
                        any_of: &[$(Self::$required),*],
                        message: $missing,
                    }),*],)*
                }
            }

            /// The name of the constant: `RESET_PASSWORDS`.
            #[cfg(any(test, feature = "command"))]
            pub(crate) const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($word),)*
                }
            }
        }
    };
}

/// The feature with which alone there is a requirement, if there is one.
macro_rules! with {
    () => {
        None
    };
    ($feature:expr) => {
        Some($feature)
    };
}

/// What a feature requires of the others (specification §4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirement {
    /// The feature with which alone there is this requirement. `None`: there always is.
    pub with: Option<Feature>,
    /// One of these must be enabled.
    pub any_of: &'static [Feature],
    /// The error if none of these features is enabled. The compiler reports it for the list in `auth_module!`.
    message: &'static str,
}

impl Requirement {
    /// The error if the requirement is not met: `Missing feature: …`.
    #[must_use]
    pub const fn message(self) -> &'static str {
        self.message
    }

    fn is_met_by(self, features: FeatureSet) -> bool {
        let is_there = self.with.is_none_or(|with| features.contains(with));
        !is_there || self.any_of.iter().any(|feature| features.contains(*feature))
    }
}

// The rows are in `auth-macros/src/catalog`.
axum_auth_module_macros::catalog! { features }

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.value())
    }
}

impl FromStr for Feature {
    type Err = UnknownFeature;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let named = |feature: &Self| feature.value() == value;
        Self::ALL.iter().copied().find(named).ok_or_else(|| UnknownFeature(value.to_owned()))
    }
}

/// A feature value that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no feature `{0}`; the features are {all}", all = FeatureSet::all())]
pub struct UnknownFeature(String);

/// A set of features.
///
/// ```
/// use axum_auth_module::feature::{Feature, FeatureSet};
///
/// let set: FeatureSet = "registration, update-passwords".parse()?;
/// assert!(set.contains(Feature::REGISTRATION));
/// assert!(!set.contains(Feature::RESET_PASSWORDS));
/// # Ok::<(), axum_auth_module::feature::UnknownFeature>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(u64);

const _: () = assert!(Feature::ALL.len() <= 64, "a `FeatureSet` has one bit for each feature");

impl FeatureSet {
    /// Every feature of this version of the library, also those that a host has not listed. A later version may have
    /// more, so no default of a host: [`EnabledFeatures`] has one.
    #[must_use]
    pub fn all() -> Self {
        Feature::ALL.iter().copied().collect()
    }

    /// Whether the set contains this feature.
    #[must_use]
    pub const fn contains(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u64) != 0
    }

    /// Adds a feature.
    pub fn insert(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u64;
    }

    /// The features of the set, in the order of specification §4.1.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |feature| self.contains(*feature))
    }

    /// The features of this set that the other one does not contain.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// What the features of the set require of others and the set does not meet.
    pub(crate) fn missing_requirements(self) -> impl Iterator<Item = &'static Requirement> {
        let all = self.iter().flat_map(Feature::requires);
        all.filter(move |required| !required.is_met_by(self))
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        features.into_iter().fold(Self::default(), |mut set, feature| {
            set.insert(feature);
            set
        })
    }
}

impl<const N: usize> From<[Feature; N]> for FeatureSet {
    fn from(features: [Feature; N]) -> Self {
        features.into_iter().collect()
    }
}

impl From<&[Feature]> for FeatureSet {
    fn from(features: &[Feature]) -> Self {
        features.iter().copied().collect()
    }
}

/// Reads a comma-separated list of feature values; spaces around them and empty entries are ignored.
impl FromStr for FeatureSet {
    type Err = UnknownFeature;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        list.split(',').map(str::trim).filter(|value| !value.is_empty()).map(Feature::from_str).collect()
    }
}

impl fmt::Display for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<_> = self.iter().map(Feature::value).collect();
        f.write_str(&values.join(", "))
    }
}

/// Which of the features that a host has listed are enabled (specification §4.2): those of a set, or with `None` every
/// listed one.
///
/// A setting that may be absent is an `Option<FeatureSet>`, and its default `None`:
///
/// ```
/// use axum_auth_module::feature::{EnabledFeatures, Feature, FeatureSet};
///
/// let setting: Option<FeatureSet> = std::env::var("NO_SUCH_VARIABLE").ok().map(|list| list.parse()).transpose()?;
/// assert_eq!(EnabledFeatures::from(setting), EnabledFeatures::from(None));
/// assert_eq!(EnabledFeatures::from([Feature::REGISTRATION]), EnabledFeatures::from(Some([Feature::REGISTRATION].into())));
/// # Ok::<(), axum_auth_module::feature::UnknownFeature>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnabledFeatures(Option<FeatureSet>);

impl EnabledFeatures {
    /// The set, or else everything that is listed.
    pub(crate) fn or_all_of(self, listed: FeatureSet) -> FeatureSet {
        self.0.unwrap_or(listed)
    }
}

impl From<Option<FeatureSet>> for EnabledFeatures {
    fn from(features: Option<FeatureSet>) -> Self {
        Self(features)
    }
}

impl From<FeatureSet> for EnabledFeatures {
    fn from(features: FeatureSet) -> Self {
        Self(Some(features))
    }
}

impl<const N: usize> From<[Feature; N]> for EnabledFeatures {
    fn from(features: [Feature; N]) -> Self {
        FeatureSet::from(features).into()
    }
}

impl From<&[Feature]> for EnabledFeatures {
    fn from(features: &[Feature]) -> Self {
        FeatureSet::from(features).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Environments and configuration files contain them.
    #[test]
    fn values_are_frozen() {
        let values = "registration, reset-passwords, email-verification, update-profile-information, \
                      update-passwords, two-factor-authentication";
        let all = FeatureSet::all().to_string();
        assert!(all.starts_with(values), "{all}");
        assert_eq!(all.parse(), Ok(FeatureSet::all()));
        assert_eq!(Feature::TWO_FACTOR_AUTHENTICATION.word(), "TWO_FACTOR_AUTHENTICATION");
    }

    #[test]
    fn a_requirement_that_is_not_met_is_reported_as_the_macro_does() {
        let missing = |set: &[Feature]| -> Vec<_> {
            FeatureSet::from(set).missing_requirements().map(|required| required.message()).collect()
        };
        assert_eq!(missing(&[Feature::Registration, Feature::ResetPasswords]), [""; 0]);
        assert_eq!(missing(&[Feature::EmailLogin]), [""; 0]);
        assert_eq!(
            missing(&[Feature::Registration, Feature::EmailLogin]),
            ["Missing feature: EMAIL_VERIFICATION. EMAIL_LOGIN together with REGISTRATION requires it."]
        );
        assert_eq!(missing(Feature::ALL), [""; 0]);
    }
}
