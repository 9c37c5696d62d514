//! Tools for tests of hosts (cargo feature `testing`): a configuration with cheap password hashes, a movable clock, and
//! repositories in memory. [`conformance`] checks repositories and stores of your own.
//!
//! ```
//! use axum_auth_module::testing::{self, MemoryUsers, MovableClock};
//! use axum_auth_module::{AuthModule, AuthUser, StandardActions};
//! use std::time::{Duration, SystemTime};
//!
//! #[derive(Clone, Default, AuthUser)]
//! struct Account {
//!     id: u32,
//!     name: String,
//!     email: String,
//!     password: String,
//!     email_verified_at: Option<SystemTime>,
//!     two_factor_secret: Option<String>,
//!     two_factor_recovery_codes: Option<String>,
//!     two_factor_confirmed_at: Option<SystemTime>,
//!     password_confirmed_at: Option<SystemTime>,
//! }
//!
//! # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
//! let clock = MovableClock::new();
//! let config = testing::config().clock(clock.clone()).build()?;
//! let auth = AuthModule::builder(config, MemoryUsers::<Account>::default())
//!     .registration(StandardActions)
//!     .build()?;
//! let app: axum::Router = axum::Router::new().nest("/auth", auth.router());
//! // … register and log in over `app`, then move the clock by a quarter of an hour:
//! clock.advance(Duration::from_secs(900));
//! # Ok(()) }
//! ```

mod clock;
pub mod conformance;
#[cfg(test)]
#[cfg(all(feature = "sqlite", feature = "postgres", feature = "mysql", feature = "redis"))]
pub(crate) mod databases;
#[cfg(test)]
#[cfg(all(feature = "sqlite", feature = "postgres", feature = "mysql", feature = "redis"))]
pub(crate) mod servers;
mod sessions;
mod store;
mod users;

pub use crate::repository::memory::*;
pub use clock::MovableClock;
pub use sessions::SharedMemorySessions;
pub use store::SharedMemoryStore;
pub use users::MemoryUsers;

use crate::config::{AuthConfig, AuthConfigBuilder};

/// A configuration with public secrets, password hashes that take a millisecond, and a long queue for them, because the
/// requests of a test come from one client. It is only for tests. Every option can be changed before `build`.
#[must_use]
pub fn config() -> AuthConfigBuilder {
    config_with_secrets("a secret for tests, known to everybody", "another secret for tests, as well known")
}

/// The same configuration with other signing secrets, for tests of their rotation.
///
/// ```
/// use axum_auth_module::testing;
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// let [old, new] = ["the old secret, only for some tests", "the new secret, only for some tests"];
/// let refresh = "a secret that does not change here";
/// let before = testing::config_with_secrets(old, refresh).build()?;
/// let after = testing::config_with_secrets(new, refresh).previous_jwt_secrets([old]).build()?;
/// # let _ = (before, after);
/// # Ok(()) }
/// ```
#[must_use]
pub fn config_with_secrets(
    jwt_secret: impl Into<String>,
    refresh_secret: impl Into<String>,
) -> AuthConfigBuilder {
    AuthConfig::builder(jwt_secret, refresh_secret, "dGhpcnR5LXR3byBieXRlcyBmb3IgdGVzdHMgb25seSE=")
        .app_name("Test")
        .password_queue(1000)
        .cheap_hashes()
}
