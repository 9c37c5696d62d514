//! The features that a host can switch on (specification §4.1).

use std::fmt;
use std::str::FromStr;

/// An optional behaviour. Login, refresh, logout and password confirmation are always there and are no features.
///
/// The associated constants carry the names of specification §4.1, which `auth_module!` takes as bare words:
/// `features: [REGISTRATION]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// `registration`
    Registration,
    /// `reset-passwords`
    ResetPasswords,
    /// `email-verification`
    EmailVerification,
    /// `update-profile-information`
    UpdateProfileInformation,
    /// `update-passwords`
    UpdatePasswords,
    /// `two-factor-authentication`
    TwoFactorAuthentication,
}

impl Feature {
    /// `POST /register`. Needs an implementation of `CreatesNewUsers`.
    pub const REGISTRATION: Self = Self::Registration;
    /// `POST /forgot-password` and `POST /reset-password`.
    pub const RESET_PASSWORDS: Self = Self::ResetPasswords;
    /// `GET /email/verify/{id}/{hash}` and `POST /email/verification-notification`.
    pub const EMAIL_VERIFICATION: Self = Self::EmailVerification;
    /// `PUT /user/profile-information`.
    pub const UPDATE_PROFILE_INFORMATION: Self = Self::UpdateProfileInformation;
    /// `PUT /user/password`.
    pub const UPDATE_PASSWORDS: Self = Self::UpdatePasswords;
    /// The `/user/two-factor-*` routes and `POST /two-factor-challenge`.
    pub const TWO_FACTOR_AUTHENTICATION: Self = Self::TwoFactorAuthentication;

    /// All features, in the order of specification §4.1.
    pub const ALL: [Self; 6] = [
        Self::Registration,
        Self::ResetPasswords,
        Self::EmailVerification,
        Self::UpdateProfileInformation,
        Self::UpdatePasswords,
        Self::TwoFactorAuthentication,
    ];

    /// The feature's value in configuration files and environments: `reset-passwords`.
    #[must_use]
    pub const fn value(self) -> &'static str {
        match self {
            Self::Registration => "registration",
            Self::ResetPasswords => "reset-passwords",
            Self::EmailVerification => "email-verification",
            Self::UpdateProfileInformation => "update-profile-information",
            Self::UpdatePasswords => "update-passwords",
            Self::TwoFactorAuthentication => "two-factor-authentication",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.value())
    }
}

impl FromStr for Feature {
    type Err = UnknownFeature;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let named = |feature: &Self| feature.value() == value;
        Self::ALL.into_iter().find(named).ok_or_else(|| UnknownFeature(value.to_owned()))
    }
}

/// A feature value that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no feature `{0}`; the features are {all}", all = FeatureSet::all())]
pub struct UnknownFeature(String);

/// Which features are on.
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
pub struct FeatureSet(u8);

impl FeatureSet {
    /// Every feature.
    #[must_use]
    pub fn all() -> Self {
        Feature::ALL.into_iter().collect()
    }

    /// Whether this feature is on.
    #[must_use]
    pub const fn contains(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u8) != 0
    }

    /// Switches a feature on.
    pub fn insert(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u8;
    }

    /// The features that are on, in the order of specification §4.1.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.into_iter().filter(move |feature| self.contains(*feature))
    }

    /// What is on here and not there.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether nothing is on.
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

/// Reads a comma-separated list of feature values; blanks around them and empty entries are ignored.
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
