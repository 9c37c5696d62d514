//! The configuration. An [`AuthConfig`] that exists is valid.

mod api_tokens;
mod browser;
mod builder;
mod check;
mod deletion;
mod email_change;
mod email_login;
mod env;
mod error;
mod invitations;
mod limits;
mod notices;
mod of_features;
mod options;
mod passkeys;
mod passwords;
mod read;
mod relying_party;
mod reserved_usernames;
mod reset_removes;
#[cfg(feature = "service-tokens")]
mod service_keys;
mod session;
mod trusted_devices;
mod two_factor;

pub use crate::crypto::{BcryptImplementation, PasswordHash};
pub(crate) use api_tokens::is_scope;
pub use api_tokens::{ApiScopes, ApiTokenOptions};
pub use browser::{BrowserOptions, SameSite};
pub use builder::AuthConfigBuilder;
pub use deletion::DeletionOptions;
pub(crate) use deletion::LONGEST_GRACE;
pub use email_change::EmailChangeOptions;
pub(crate) use email_change::{LONGEST_CHANGE, LONGEST_REVERT};
pub use email_login::{EmailLoginOptions, EmailLoginProof};
pub use error::{ConfigError, ConfigProblem};
pub use invitations::InvitationOptions;
pub(crate) use invitations::LONGEST_INVITATION;
pub use limits::{ClientScope, Limit, LimitKey, LimitUnit, RateLimit, RateLimits};
pub use notices::NoticeOptions;
pub use options::{ConfigOption, Settings};
pub use passkeys::{PasskeyOptions, UserVerification};
#[cfg(feature = "command")]
pub(crate) use passwords::BCRYPT_COSTS;
#[cfg(all(feature = "argon2", feature = "command"))]
pub(crate) use passwords::{ARGON2_PASSES, ARGON2_WORK, STRONG_ARGON2};
pub use relying_party::{InvalidRelyingParty, RelyingParty};
pub use reserved_usernames::RESERVED_USERNAMES;
pub use reset_removes::ResetRemoves;
#[cfg(feature = "service-tokens")]
pub use service_keys::ServiceKeys;
pub use session::SessionOptions;
pub use trusted_devices::TrustedDeviceOptions;
pub use two_factor::{TwoFactorOptions, WhenOff};

use crate::crypto::encryption::Encryption;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A valid configuration of the module. Cloning it is cheap.
///
/// ```
/// use axum_auth_module::AuthConfig;
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// let config = AuthConfig::builder(
///     "the secret that signs access tokens",
///     "another secret, for refresh tokens",
///     "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", // 32 bytes in base64
/// )
/// .app_name("Example")
/// .build()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct AuthConfig {
    settings: Arc<Settings>,
    encryption: Arc<Encryption>,
}

impl AuthConfig {
    /// Starts a configuration from its three secrets; everything else has a default (specification §5.3).
    ///
    /// `jwt_secret` signs access tokens and `refresh_secret` refresh tokens. Each needs at least 32 bytes, and they
    /// must differ. `encryption_key` is 32 bytes in strict base64; it encrypts two-factor secrets and recovery
    /// codes. `openssl rand -base64 32` generates any of the three.
    #[must_use]
    pub fn builder(
        jwt_secret: impl Into<String>,
        refresh_secret: impl Into<String>,
        encryption_key: impl Into<String>,
    ) -> AuthConfigBuilder {
        AuthConfigBuilder::new(jwt_secret.into(), refresh_secret.into(), encryption_key.into())
    }

    /// Reads the configuration from the process's environment: `AUTH_JWT_SECRET`, `AUTH_REFRESH_SECRET` and
    /// `AUTH_ENCRYPTION_KEY`, which are required, and the optional variables that
    /// [`environment_variables`](Self::environment_variables) lists.
    ///
    /// In place of a variable, one with `_FILE` at the end of its name can name a file with the value: `AUTH_JWT_SECRET_FILE`.
    ///
    /// This is the one place where the library reads the environment.
    ///
    /// # Errors
    /// All problems at once, each with the name of its variable. A variable whose name is almost one of these is a problem, too:
    /// `AUTH_BCRYPT_COTS`. Other variables that begin with `AUTH_` are the host's; the log names them at the level `warn`.
    pub fn from_env() -> Result<Self, ConfigError> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        env::read(|name| std::env::var(name).ok(), names)
    }

    /// Like [`from_env`](Self::from_env), but `variable` returns the value of a variable. An empty value counts as not
    /// set.
    ///
    /// # Errors
    /// All problems at once, each with the name of its variable.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        env::read(variable, [])
    }

    /// Like [`from_env`](Self::from_env), from these variables. Names that are almost known are problems, too.
    #[cfg(feature = "command")]
    pub(crate) fn from_all_variables(
        variables: &std::collections::BTreeMap<String, String>,
    ) -> Result<Self, ConfigError> {
        env::read(|name| variables.get(name).cloned(), variables.keys().cloned())
    }

    /// The encryption of the two-factor fields.
    pub(crate) fn encryption(&self) -> &Encryption {
        &self.encryption
    }

    /// All options, the required ones first, as data.
    pub fn options() -> impl Iterator<Item = &'static ConfigOption> {
        options::options()
    }

    /// The variables that [`from_env`](Self::from_env) reads, each with its description.
    pub fn environment_variables() -> impl Iterator<Item = (&'static str, &'static str)> {
        Self::options().filter_map(|option| Some((option.variable?, option.description)))
    }
}

/// Lets the library read the options as fields. Hosts do not need it.
impl Deref for AuthConfig {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

/// Every option but the secrets and the clock.
impl fmt::Debug for AuthConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}
