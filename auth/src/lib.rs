//! An embeddable authentication backend for axum.
//!
//! The host keeps its user table and its business rules. The library brings the endpoints, the tokens, the
//! cryptography, the limits and the care; and what a host has forgotten is a compile error that says what to type.
//!
//! * [`AuthUser`] maps a host's struct to the nine fields that the library reads. Derive it.
//! * [`auth_module!`] checks that everything the listed features need is there, and is the module.
//! * [`AuthModule`] lives in the host's state; [`AuthModule::router`] has the routes.
//! * [`CurrentUser`], [`VerifiedUser`], [`ConfirmedUser`] and [`Claims`] are extractors for the host's own routes.
//! * [`AuthModule::service`] does without HTTP what the routes do, for other front ends and administrators' tasks.
//! * An [`EventSink`] hears what happens; [`EventChannel`] is a ready-made one.
//!
//! Everything works without the macro, too: see [`AuthModule::builder`].
//!
//! # Cargo features
//!
//! None is on by default, and the default build has no C code in it.
//!
//! * `sqlite` — repositories over sqlx for SQLite, generic over the host's struct (`axum_auth_module::sql`). Compiles SQLite.
//! * `mail` — delivery of both mails by SMTP, or into a directory (`axum_auth_module::mail`). Compiles ring, which has C in it.
//! * `testing` — a movable clock, in-memory repositories and a cheap configuration for tests (`axum_auth_module::testing`).
//! * `jwt-rust-crypto`, `jwt-aws-lc` — a complete backend for `jsonwebtoken`, for hosts that use that crate themselves.
//!   The library needs neither and works with both.

#![cfg_attr(docsrs, feature(doc_cfg))]

// The derive writes `::axum_auth_module`, in this crate's own tests as well.
#[cfg(all(test, feature = "sqlite"))]
extern crate self as axum_auth_module;

mod core;
mod crypto;
mod erase;
mod features;
mod http;
mod limits;
mod module;
mod uri;

pub mod actions;
pub mod client;
pub mod clock;
pub mod config;
pub mod delivery;
pub mod endpoint;
pub mod error;
pub mod events;
pub mod extract;
pub mod feature;
#[cfg(feature = "mail")]
pub mod mail;
pub mod repository;
pub mod services;
#[cfg(feature = "sqlite")]
pub mod sql;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
pub mod user;
pub mod values;

#[doc(hidden)]
pub mod private;

// What nearly every host names. Everything else is in the modules.
pub use actions::StandardActions;
pub use async_trait::async_trait;
pub use axum_auth_module_macros::AuthUser;
pub use config::AuthConfig;
pub use delivery::InResponse;
pub use error::{AuthError, BoxError};
pub use extract::{Claims, ConfirmedUser, CurrentUser, VerifiedUser};
pub use module::{AuthModule, AuthModuleBuilder};
pub use user::AuthUser;

/// Checks at compile time that everything the listed features need is there, and is the module: an expression of type
/// [`AuthModule<U>`](AuthModule), where `U` is the repository's user record.
///
/// ```
/// use axum_auth_module::testing::{self, MemoryUsers};
/// use axum_auth_module::{AuthModule, AuthUser, StandardActions, auth_module};
/// # use std::time::SystemTime;
/// # #[derive(Clone, Default, AuthUser)]
/// # struct Account { id: u32, name: String, email: String, password: String, email_verified_at: Option<SystemTime>,
/// #   two_factor_secret: Option<String>, two_factor_recovery_codes: Option<String>,
/// #   two_factor_confirmed_at: Option<SystemTime>, password_confirmed_at: Option<SystemTime> }
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// let auth: AuthModule<Account> = auth_module! {
///     config: testing::config().build()?,     // in production `AuthConfig::from_env()?`
///     features: [REGISTRATION],
///     user_repo: MemoryUsers::<Account>::default(),
///     actions: { CreatesNewUsers: StandardActions },
/// };
/// # Ok(()) }
/// ```
///
/// The keys may come in any order, and every value is an expression of the host's, in which `?` and `.await` work. They
/// are evaluated in an order of their own: `config`, `user_repo`, the providers, `events`, `store`, and `enabled(…)` last.
///
/// | key | value | |
/// |---|---|---|
/// | `config` | an [`AuthConfig`] | required |
/// | `features` | `[REGISTRATION, …]`, the constants of [`Feature`]; or `enabled(set) within [REGISTRATION, …]` | required |
/// | `user_repo` | a [`UserRepository`] | required |
/// | `password_reset_repo` | a [`PasswordResetRepository`] | RESET_PASSWORDS asks for it |
/// | `actions` | `{ CreatesNewUsers: value, … }`, or one value that is all of them, shared through `Arc` | what the features ask for |
/// | `delivery` | `{ PasswordReset: value, EmailVerification: value }`, or one value that is both | RESET_PASSWORDS and EMAIL_VERIFICATION ask for one each |
/// | `events` | an [`EventSink`] | none is emitted without |
/// | `store` | an [`EphemeralStore`] | default: in memory |
/// | `deployment` | `one`, or `many` for several instances, whose `store` has to be a [`SharedStore`] | default: `one` |
///
/// `enabled(set) within […]` decides at start-up which features answer. `within` is what the compiler checks; `set`,
/// anything that converts into a [`FeatureSet`], says which of them are on, and the others answer 404. A feature that
/// is not within ends the function around with a [`ConfigError`], as a `?` at this place would.
///
/// What is missing, unknown, misspelled, given twice or given for nothing is a compile error at the word it is about,
/// with what to type instead. The macro expands to calls of [`AuthModule::builder`], and nothing else.
#[macro_export]
macro_rules! auth_module {
    () => {
        // Said here, for the macro below has no word to point at.
        ::core::compile_error!(
            "this module is empty\n\n\
             help: write in it:\n    \
             config: axum_auth_module::AuthConfig::from_env()?,\n    \
             features: [REGISTRATION],\n    \
             user_repo: axum_auth_module::sql::SqlUsers::<Account>::new(pool.clone()),\n    \
             actions: axum_auth_module::StandardActions,"
        )
    };
    ($($input:tt)*) => {
        $crate::private::auth_module! { ($crate) $($input)* }
    };
}
