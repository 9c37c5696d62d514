//! Tools for tests of hosts (cargo feature `testing`):
//!
//! | | |
//! |---|---|
//! | [`config`], [`cheap_hashes`] | a configuration with password hashes that take a millisecond, which a release build refuses |
//! | [`login_as`] | a session for a user, without a password |
//! | [`Browser`], [`Client`] | requests to the host's router: with cookies as browsers keep them, or with tokens |
//! | [`Outbox`] | a delivery that keeps the messages for the test |
//! | [`totp_now`], [`totp_next`], [`enable_two_factor`] | the user's authenticator app |
//! | [`Faults`] | providers that fail or hang when a test wants it |
//! | [`MovableClock`] | the time |
//! | [`MemoryUsers`], [`MemoryPasswordResets`], [`MemoryPasskeys`], [`MemoryIdentities`], [`MemoryDeletions`], [`MemoryApiTokens`] | repositories in memory; of several instances: [`SharedMemorySessions`], [`SharedMemoryStore`] |
//! | [`conformance`] | checks of repositories and stores of your own |
//!
//! Put the feature into the `[dev-dependencies]` of your `Cargo.toml`.
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
//! let client = testing::Client::new(app);
//! // … register and log in with `client`, then move the clock by a quarter of an hour:
//! clock.advance(Duration::from_secs(900));
//! # let _ = client;
//! # Ok(()) }
//! ```

mod browser;
mod clock;
pub mod conformance;
#[cfg(test)]
#[cfg(all(feature = "sqlite", feature = "postgres", feature = "mysql", feature = "redis"))]
pub(crate) mod databases;
mod faults;
mod login_as;
mod one_time_codes;
mod outbox;
#[cfg(test)]
#[cfg(all(feature = "sqlite", feature = "postgres", feature = "mysql", feature = "redis"))]
pub(crate) mod servers;
mod sessions;
#[cfg(feature = "passkeys")]
mod soft_passkey;
mod store;
mod users;

pub use crate::repository::memory::*;
pub use browser::{Browser, Call, Client, Reply};
pub use clock::MovableClock;
pub use faults::{Fault, Faults, Faulty, ProviderMethod};
pub use login_as::{LoginAs, login_as};
pub use one_time_codes::{TwoFactor, enable_two_factor, totp_at, totp_next, totp_now};
pub use outbox::Outbox;
pub use sessions::SharedMemorySessions;
#[cfg(feature = "passkeys")]
pub use soft_passkey::SoftPasskey;
pub use store::SharedMemoryStore;
pub use users::MemoryUsers;

use crate::config::{AuthConfig, AuthConfigBuilder};

/// A configuration with public secrets, [cheap hashes](cheap_hashes), and a long queue for them, because the requests of a test
/// come from one client. It is only for tests, and a release build refuses it. Every option can be changed before `build`.
#[must_use]
pub fn config() -> AuthConfigBuilder {
    config_with_secrets("a secret for tests, known to everybody", "another secret for tests, as well known")
}

/// The configuration of [`config()`] with other signing secrets, for tests of their rotation.
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

/// Makes password hashes take about a millisecond, for tests with a configuration of their own: bcrypt with cost 4, the lowest
/// that it has, and Argon2id with 1 MiB and one pass. With `BcryptImplementation::Crate` a debug build takes several times
/// longer without these lines in its `Cargo.toml`:
///
/// ```toml
/// [profile.dev.package.bcrypt]
/// opt-level = 3
/// [profile.dev.package.blowfish]
/// opt-level = 3
/// ```
///
/// **A release build refuses it:** `build` returns a [`ConfigError`](crate::config::ConfigError) for `bcrypt_cost` where the library
/// was compiled without debug assertions, because such hashes protect no password. A test suite that runs with `--release` sets
/// `debug-assertions = true` in its profile.
///
/// ```
/// use axum_auth_module::{AuthConfig, testing};
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// let settings = AuthConfig::builder(
///     "the secret that signs access tokens",
///     "another secret, for refresh tokens",
///     "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
/// );
/// let config = testing::cheap_hashes(settings).build()?;
/// # let _ = config;
/// # Ok(()) }
/// ```
#[must_use]
pub fn cheap_hashes(builder: AuthConfigBuilder) -> AuthConfigBuilder {
    builder.cheap_hashes()
}
