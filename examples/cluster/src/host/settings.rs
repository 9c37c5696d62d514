//! The environment variables of an instance.
//!
//! | variable | meaning |
//! |---|---|
//! | `ADDR` | where to listen |
//! | `DATABASE_URL` | the PostgreSQL of all instances |
//! | `REDIS_URL` | the Redis of all instances |
//! | `REDIS_PREFIX` | what keys in Redis begin with; the same for all instances |
//! | `OUTBOX` | the directory for reset tokens |
//! | `SOAK` | if set: the configuration of the soak test, with cheap password hashes and high limits |
//! | `AUTH_…` | the module's own, see `AuthConfig::environment_variables` |

use super::outbox::Outbox;
use axum_auth_module::config::{RateLimit, RateLimits};
use axum_auth_module::{AuthConfig, BoxError};
use std::env;
use std::net::SocketAddr;
use std::time::Duration;

/// The names of the variables that are not the module's own.
pub mod variables {
    /// Where to listen.
    pub const ADDRESS: &str = "ADDR";
    /// The PostgreSQL of all instances.
    pub const DATABASE_URL: &str = "DATABASE_URL";
    /// The Redis of all instances.
    pub const REDIS_URL: &str = "REDIS_URL";
    /// What keys in Redis begin with.
    pub const REDIS_PREFIX: &str = "REDIS_PREFIX";
    /// The directory for reset tokens.
    pub const OUTBOX: &str = "OUTBOX";
    /// If set: the configuration of the soak test.
    pub const SOAK: &str = "SOAK";
}

/// A configuration that an instance can start with.
pub(super) struct Settings {
    pub(super) address: SocketAddr,
    pub(super) database_url: String,
    pub(super) redis_url: String,
    pub(super) redis_prefix: String,
    pub(super) outbox: Outbox,
    pub(super) auth: AuthConfig,
}

impl Settings {
    /// Reads the environment.
    ///
    /// # Errors
    /// If a variable is missing or invalid. The error does not contain its value.
    pub(super) fn from_env() -> Result<Self, BoxError> {
        let address = required(variables::ADDRESS)?;
        let auth = if env::var_os(variables::SOAK).is_some() { for_soak()? } else { AuthConfig::from_env()? };
        Ok(Self {
            address: address.parse().map_err(|_| "ADDR: expected an IP address and a port")?,
            database_url: required(variables::DATABASE_URL)?,
            redis_url: required(variables::REDIS_URL)?,
            redis_prefix: required(variables::REDIS_PREFIX)?,
            outbox: Outbox::new(required(variables::OUTBOX)?),
            auth,
        })
    }
}

fn required(name: &str) -> Result<String, BoxError> {
    env::var(name)
        .map_err(|_| format!("{name}: must be set; `cluster` without arguments starts everything").into())
}

/// The limits that guard against guessing passwords keep their defaults, so that the soak test can see them work. The
/// others are out of its way. Tokens live longer than the test, so that none is refused because it has expired.
fn for_soak() -> Result<AuthConfig, BoxError> {
    let mut limits = RateLimits::default();
    let high = RateLimit::per_seconds(1_000_000, 60);
    limits.login_account = high;
    limits.confirm_password = high;
    limits.confirm_password_long = high;
    limits.two_factor = high;
    limits.two_factor_long = high;
    limits.reset_password = high;
    limits.reset_password_client = high;
    limits.profile_email = high;
    limits.forgot_password_address = high;
    limits.forgot_password_client = high;
    limits.register = high;
    let [jwt, refresh, encryption] =
        ["AUTH_JWT_SECRET", "AUTH_REFRESH_SECRET", "AUTH_ENCRYPTION_KEY"].map(required);
    let config = AuthConfig::builder(jwt?, refresh?, encryption?)
        .trusted_proxies(["127.0.0.1/32".parse()?])
        .access_token_lifetime(Duration::from_secs(6 * 3600))
        .password_timeout(Duration::from_secs(3600))
        // The least that a configuration allows.
        .bcrypt_cost(10)
        .limits(limits);
    Ok(config.build()?)
}
