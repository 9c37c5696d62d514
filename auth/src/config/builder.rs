//! The builder of a configuration. Its setters are generated from the table of options.

use super::{AuthConfig, Settings, check};
use crate::config::ConfigError;
use crate::crypto::keys::Secret;
use std::ops::RangeInclusive;
use zeroize::Zeroizing;

/// The bcrypt costs that a host may set (specification §5.3). With cost 16, one hash takes about three seconds.
const BCRYPT_COSTS: RangeInclusive<u32> = 10..=16;

/// Collects options; [`build`](Self::build) checks them. [`AuthConfig::builder`] creates it.
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

    /// Checks the options and builds the configuration.
    ///
    /// # Errors
    /// All problems at once, each with its option's name and never with its value.
    pub fn build(self) -> Result<AuthConfig, ConfigError> {
        check::config(self)
    }

    /// For tests: the lowest cost that bcrypt supports.
    #[cfg(feature = "testing")]
    pub(crate) fn cheap_hashes(mut self) -> Self {
        self.bcrypt_costs = 4..=16;
        self.bcrypt_cost(4)
    }
}
