//! The builder of a configuration. Its setters are generated from the table of options.

use super::{AuthConfig, Settings, check};
use crate::config::ConfigError;
use crate::crypto::keys::Secret;
use std::ops::RangeInclusive;
use zeroize::Zeroizing;

/// The least bcrypt cost (specification §14.2); 16 takes about three seconds for one hash.
const BCRYPT_COSTS: RangeInclusive<u32> = 10..=16;

/// Collects options; [`build`](Self::build) checks them. Made by [`AuthConfig::builder`].
#[derive(Clone)]
pub struct AuthConfigBuilder {
    pub(super) encryption_key: Zeroizing<String>,
    pub(super) previous_encryption_keys: Vec<Zeroizing<String>>,
    pub(super) bcrypt_costs: RangeInclusive<u32>,
    pub(super) settings: Settings,
}

impl AuthConfigBuilder {
    pub(super) fn new(jwt_secret: String, refresh_secret: String, encryption_key: String) -> Self {
        let [jwt_secret, refresh_secret] =
            [jwt_secret, refresh_secret].map(|secret| Secret::new(secret.into_bytes()));
        Self {
            encryption_key: Zeroizing::new(encryption_key),
            previous_encryption_keys: Vec::new(),
            bcrypt_costs: BCRYPT_COSTS,
            settings: Settings::new(jwt_secret, refresh_secret),
        }
    }

    /// Previous encryption keys, 32 bytes each in base64. Values encrypted with them can still be read, and are
    /// encrypted again with the current key on the next save. Default: none.
    #[must_use]
    pub fn previous_encryption_keys(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.previous_encryption_keys = keys.into_iter().map(|key| Zeroizing::new(key.into())).collect();
        self
    }

    /// The configuration.
    ///
    /// # Errors
    /// Everything that is wrong, at once, each problem with its option's name and never with its value.
    pub fn build(self) -> Result<AuthConfig, ConfigError> {
        check::config(self)
    }

    /// For tests: the cheapest hashes that bcrypt can make.
    #[cfg(feature = "testing")]
    pub(crate) fn cheap_hashes(mut self) -> Self {
        self.bcrypt_costs = 4..=16;
        self.bcrypt_cost(4)
    }
}
