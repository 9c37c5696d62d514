//! The builder of a configuration. Its setters are generated from the table of options.

use super::{AuthConfig, Settings, check};
use crate::config::{ConfigError, InvalidRelyingParty, RelyingParty};
use crate::crypto::keys::Secret;
use crate::crypto::ring::KeyRing;
use zeroize::Zeroizing;

/// Collects options; [`build`](Self::build) checks them. [`AuthConfig::builder`] creates it.
#[derive(Clone)]
pub struct AuthConfigBuilder {
    pub(super) encryption_key: Zeroizing<String>,
    pub(super) previous_encryption_keys: Vec<Zeroizing<String>>,
    /// For tests: whether password hashes can be cheaper than is safe.
    pub(super) allows_cheap_hashes: bool,
    pub(super) settings: Settings,
    /// The relying party of passkeys, as the environment has it.
    pub(super) site: SiteVariables,
}

/// The parts of a relying party that the environment has.
#[derive(Clone, Default)]
pub(super) struct SiteVariables {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) origins: Vec<String>,
    pub(super) related: Vec<String>,
}

impl SiteVariables {
    /// The relying party, if there is a part of it. A part that is missing is the problem of [`RelyingParty::new`], except for the name.
    pub(super) fn relying_party(self, app_name: &str) -> Option<Result<RelyingParty, InvalidRelyingParty>> {
        let Self { id, name, origins, related } = self;
        if id.is_none() && name.is_none() && origins.is_empty() && related.is_empty() {
            return None;
        }
        let (apps, pages): (Vec<_>, Vec<_>) =
            origins.into_iter().partition(|origin| origin.starts_with(RelyingParty::ANDROID));
        let site =
            RelyingParty::new(id.unwrap_or_default(), name.unwrap_or_else(|| app_name.to_owned()), pages);
        let site = site.and_then(|site| site.related_origins(related));
        Some(apps.iter().fold(site, |site, app| site.and_then(|site| site.android(app))))
    }
}

impl AuthConfigBuilder {
    pub(super) fn new(jwt_secret: String, refresh_secret: String, encryption_key: String) -> Self {
        let [jwt_secrets, refresh_secrets] =
            [jwt_secret, refresh_secret].map(|current| KeyRing::new(secret(current), Vec::new()));
        Self {
            encryption_key: Zeroizing::new(encryption_key),
            previous_encryption_keys: Vec::new(),
            allows_cheap_hashes: false,
            settings: Settings::new(jwt_secrets, refresh_secrets),
            site: SiteVariables::default(),
        }
    }

    /// At most two more secrets that are accepted like `jwt_secret` and never used to sign. With the old secret here,
    /// `jwt_secret` can be replaced: nobody is logged out, and nothing that has ended comes back (specification §16.5).
    /// Default: none.
    ///
    /// Each must meet the rules of `jwt_secret` and differ from all other secrets. With several instances, first restart
    /// all of them with the *new* secret here, and then all of them with it as `jwt_secret` and the old one here.
    /// `docs/operations.md` has the steps, and says how long the old secret is needed.
    ///
    /// ```
    /// use axum_auth_module::AuthConfig;
    ///
    /// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
    /// let config = AuthConfig::builder(
    ///     "the new secret that signs access tokens",
    ///     "another secret, for refresh tokens",
    ///     "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    /// )
    /// .previous_jwt_secrets(["the secret that signed access tokens"])
    /// .build()?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn previous_jwt_secrets(mut self, secrets: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.jwt_secrets = self.settings.jwt_secrets.with_previous(all(secrets));
        self
    }

    /// At most two more secrets that are accepted like `refresh_secret` and never used to sign. Default:
    /// none. See [`previous_jwt_secrets`](Self::previous_jwt_secrets).
    #[must_use]
    pub fn previous_refresh_secrets(mut self, secrets: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.refresh_secrets = self.settings.refresh_secrets.with_previous(all(secrets));
        self
    }

    /// Previous encryption keys, 32 bytes each in base64. Values encrypted with them can still be read, and are
    /// encrypted again with the current key on the next save. Default: none.
    #[must_use]
    pub fn previous_encryption_keys(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.previous_encryption_keys = keys.into_iter().map(|key| Zeroizing::new(key.into())).collect();
        self
    }

    /// Takes a part of the relying party from the environment.
    pub(super) fn site(mut self, set: impl FnOnce(&mut SiteVariables)) -> Self {
        set(&mut self.site);
        self
    }

    /// Checks the options and builds the configuration.
    ///
    /// # Errors
    /// All problems at once, each with its option's name and never with its value.
    pub fn build(self) -> Result<AuthConfig, ConfigError> {
        check::config(self)
    }

    /// For tests: the lowest cost that bcrypt supports, and Argon2id with little memory.
    #[cfg(feature = "testing")]
    pub(crate) fn cheap_hashes(mut self) -> Self {
        self.allows_cheap_hashes = true;
        self.bcrypt_cost(4).argon2_memory(1024).argon2_iterations(1)
    }
}

fn secret(text: String) -> Secret {
    Secret::new(text.into_bytes())
}

fn all(secrets: impl IntoIterator<Item = impl Into<String>>) -> Vec<Secret> {
    secrets.into_iter().map(|text| secret(text.into())).collect()
}
