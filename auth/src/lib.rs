//! An embeddable authentication backend for axum.
//!
//! The host keeps its user table and its business rules. The library brings the endpoints, the tokens, the cryptography
//! and the rate limits. If a host forgets something, it does not compile, and the compiler says what to write.
//!
//! * [`AuthUser`] maps a host's struct to the nine fields that the library reads. Derive it.
//! * [`auth_module!`] checks that everything is there that the listed features need, and builds the module.
//! * [`AuthModule`] is part of the host's state. [`AuthModule::router`] has the routes for clients that keep tokens, and
//!   [`AuthModule::browser_router`] those for browsers, which keep a cookie.
//! * [`CurrentUser`], [`VerifiedUser`], [`ConfirmedUser`] and [`Claims`] are extractors for the host's own routes;
//!   [`PageUser`] and [`Browser`] are for pages.
//! * [`AuthModule::service`] returns the services behind the routes, for other front ends and administrators' tasks.
//! * An [`EventSink`](events::EventSink) receives events; [`EventChannel`](events::EventChannel) is one that broadcasts, and
//!   `sql::SqlAuditLog` one that keeps them in a table.
//!
//! The macro is optional: see [`AuthModule::builder`]. The [`guide`] has a page for each thing that an application needs.
//!
//! # Modules
//!
//! The names that nearly every host uses are at the root. Everything else is in a module:
//!
//! | module | contents |
//! |---|---|
//! | [`actions`] | the host's business rules: `CreatesNewUsers`, `ResetsUserPasswords`, … |
//! | [`repository`] | where the host keeps users, sessions, reset tokens and passkeys |
//! | [`delivery`] | how reset tokens and verification links reach their user |
//! | [`events`] | what happened, and where events go |
//! | [`store`] | short-lived data, such as attempt counters |
//! | [`config`] | options, limits, and what can be wrong with them |
//! | [`feature`] | the features |
//! | [`passwords`] | users that already have passwords, and verifiers of other hashes |
//! | [`posture`] | how a module deviates from what OWASP ASVS asks for |
//! | [`user`], [`values`] | user records; names, addresses and passwords that are valid |
//! | [`error`] | why a request fails, and the error codes |
//! | [`extract`] | the extractors |
//! | [`assurance`] | what a session has proven, and what a route requires of it |
//! | [`endpoint`] | the declarations of the endpoints, as data |
//! | [`services`] | the services behind the routes, without HTTP |
//! | [`telemetry`] | the lines of the log, the spans and the metrics, as tables |
//! | [`client`], [`clock`] | the client's address; the source of the time |
//! | [`http`] | requests to other servers |
//! | [`social`] | sign-in with other providers |
//! | `openapi` | the module's OpenAPI document, with the cargo feature of that name |
//! | `sql`, `mail`, `testing`, `command` | adapters, test support and the command, each with the cargo feature below |
//!
//! # Cargo features
//!
//! None is enabled by default, and the default build compiles no C code.
//!
//! * `sqlite`, `postgres`, `mysql`: repositories over sqlx for these databases, generic over the host's struct
//!   (`axum_auth_module::sql`). Only `sqlite` compiles C: SQLite itself.
//! * `sql-tls`: TLS to PostgreSQL and MySQL, with rustls. Compiles ring, which has C in it.
//! * `mail`: delivery of mails by SMTP, or into a directory (`axum_auth_module::mail`). Compiles ring, which has C in it.
//! * `passkeys`: the feature PASSKEYS. Compiles ring, which has C in it.
//! * `service-tokens`: the feature SERVICE_TOKENS. Adds 7 crates. Compiles ring, which has C in it.
//! * `social-login`: the feature SOCIAL_LOGIN, whose types are in [`social`]. Adds 3 crates, which `http-client` has as well.
//!   Compiles ring, which has C in it.
//! * `redis`: the store of several instances in Redis (`store::RedisStore`). Adds 42 crates, and no C.
//! * `http-client`: [`http::OutboundClient`], with which the library sends requests to other servers. Adds 12 crates.
//!   Compiles ring, which has C in it.
//! * `argon2`: Argon2id for new password hashes, and verification of stored Argon2 hashes. Adds 3 crates, and no C.
//! * `common-passwords`: [`policy::CommonPasswords`], which refuses passwords that are easy to guess. Adds 16 crates, and no C.
//! * `foreign-hashes`: verification of stored scrypt and PBKDF2 hashes. Adds 3 crates, and no C.
//! * `command`: the command of this library, which makes secrets and checks a configuration or a database
//!   (`axum_auth_module::command`). A host does not need it. Adds 2 crates, and no C.
//! * `metrics`: [`telemetry::Metric::ALL`], recorded with the crate `metrics`. Adds 2 crates, and no C.
//! * `openapi`: an OpenAPI 3.1 document of the module as it is configured (`AuthModule::openapi`). Adds no crate.
//! * `testing`: logins without a password, a browser, mails and one-time codes, a movable clock, in-memory repositories, a cheap
//!   configuration, and checks of your own adapters, for tests (`axum_auth_module::testing`).

#![cfg_attr(docsrs, feature(doc_cfg))]

// The derive writes `::axum_auth_module`, in this crate's own tests as well.
#[cfg(all(test, any(feature = "sqlite", feature = "postgres", feature = "mysql", feature = "testing")))]
extern crate self as axum_auth_module;

mod background;
mod core;
mod crypto;
mod erase;
mod features;
#[doc(hidden)]
pub mod given;
mod json;
mod limits;
mod module;
mod notices;
mod origin;
mod outbound;
mod provider;
mod request;
mod sync;
mod uri;
mod watch;
// Without these cargo features nothing reads the whole of a URL.
#[cfg_attr(
    not(feature = "social-login"),
    allow(dead_code, reason = "the cargo feature `social-login` reads it")
)]
mod web_url;

pub mod actions;
pub mod assurance;
pub mod client;
pub mod clock;
#[cfg(feature = "command")]
pub mod command;
pub mod config;
pub mod delivery;
pub mod endpoint;
pub mod error;
pub mod events;
pub mod extract;
pub mod feature;
// Text alone.
#[cfg(doc)]
pub mod guide;
pub mod http;
pub mod languages;
#[cfg(feature = "mail")]
pub mod mail;
#[cfg(feature = "openapi")]
pub mod openapi;
pub mod passwords;
pub mod policy;
pub mod posture;
pub mod repository;
pub mod social;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
pub mod sql;
pub mod store;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
pub mod user;
pub mod values;

pub use features::services;

#[doc(hidden)]
pub mod private;

// What nearly every host names. Everything else is in the modules.
pub use actions::StandardActions;
pub use async_trait::async_trait;
pub use axum_auth_module_macros::AuthUser;
pub use config::AuthConfig;
pub use delivery::InResponse;
pub use error::{AuthError, BoxError};
pub use extract::{Browser, Claims, ConfirmedUser, CurrentUser, PageUser, VerifiedUser};
pub use module::{Admin, AuthModule, AuthModuleBuilder, Impersonation, Impersonator};
pub use user::AuthUser;

/// Checks at compile time that the host gives everything that the listed features need. It is an expression of type
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
/// The keys can have any order, and every value is an expression, in which `?` and `.await` work. The values are evaluated in
/// this order: `config`, `user_repo`, the providers, `messages`, `events`, `password_verifier`,
/// `policy`, `store`, `realm`, and `enabled(…)` last.
///
/// | key | value | |
/// |---|---|---|
/// | `config` | an [`AuthConfig`] | required |
/// | `features` | `[REGISTRATION, …]`, the constants of [`Feature`]; or `enabled(set) within [REGISTRATION, …]` | required |
/// | `user_repo` | a [`UserRepository`] | required |
/// | `session_repo` | a [`SessionRepository`] | default: in memory |
/// | a provider's own key, such as `password_reset_repo` | an implementation of its trait, here a [`PasswordResetRepository`] | required if a feature needs it |
/// | `actions` | `{ CreatesNewUsers: value, … }`, or one value for all actions, shared through `Arc` | required if a feature needs an action |
/// | `delivery` | `{ PasswordReset: value, … }`, or one value for all messages, shared through `Arc` | required if a feature needs a delivery |
/// | `messages` | the [`Messages`](languages::Messages) of the users' languages | all texts are in English without |
/// | `events` | an [`EventSink`] | none is emitted without |
/// | `password_verifier` | a [`PasswordVerifier`] for stored hashes of other kinds | no password matches them without |
/// | `policy` | a [`Policy`](policy::Policy), which can refuse passwords, addresses and logins | everything is allowed without |
/// | `store` | an [`EphemeralStore`] | default: in memory |
/// | `realm` | the name of the module's users, which separates them from those of other modules | default: the path of the struct, which [`AuthUser::realm`] returns |
/// | `deployment` | `one`, or `many` for several instances, which must share a `store` ([`SharedStore`]) and a `session_repo` ([`SharedSessions`]) | default: `one` |
///
/// [`Feature`] says what each feature needs.
///
/// In `actions` and `delivery` the last entry may be `..value`, as in a struct expression. The value is used for every
/// provider that the listed features need and that is not given by name:
///
/// ```
/// # use axum_auth_module::testing::{self, MemoryUsers};
/// # use axum_auth_module::{AuthModule, AuthUser, StandardActions, auth_module};
/// # use std::time::SystemTime;
/// # #[derive(Clone, Default, AuthUser)]
/// # struct Account { id: u32, name: String, email: String, password: String, email_verified_at: Option<SystemTime>,
/// #   two_factor_secret: Option<String>, two_factor_recovery_codes: Option<String>,
/// #   two_factor_confirmed_at: Option<SystemTime>, password_confirmed_at: Option<SystemTime> }
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// # let create_account = StandardActions;
/// let auth: AuthModule<Account> = auth_module! {
///     config: testing::config().build()?,
///     features: [REGISTRATION, UPDATE_PASSWORDS, UPDATE_PROFILE_INFORMATION],
///     user_repo: MemoryUsers::<Account>::default(),
///     actions: { CreatesNewUsers: create_account, ..StandardActions },
/// };
/// # Ok(()) }
/// ```
///
/// `enabled(set) within […]` decides at start-up which features are enabled. The compiler checks the list after `within`;
/// `set`, any value that converts into [`EnabledFeatures`], contains the enabled ones: a [`FeatureSet`], an array of
/// features, or an `Option<FeatureSet>`, whose `None` enables the whole list. The others return 404. If the set contains a
/// feature that is not in the list, or lacks one that an enabled feature requires, the surrounding function returns a
/// [`ConfigError`], as with `?`.
///
/// [`ConfigError`]: config::ConfigError
/// [`EnabledFeatures`]: feature::EnabledFeatures
/// [`EphemeralStore`]: store::EphemeralStore
/// [`EventSink`]: events::EventSink
/// [`Feature`]: feature::Feature
/// [`FeatureSet`]: feature::FeatureSet
/// [`PasswordResetRepository`]: repository::PasswordResetRepository
/// [`PasswordVerifier`]: passwords::PasswordVerifier
/// [`SessionRepository`]: repository::SessionRepository
/// [`SharedSessions`]: repository::SharedSessions
/// [`SharedStore`]: store::SharedStore
/// [`UserRepository`]: repository::UserRepository
///
/// A mistake is a compile error at the word to change, which says what to write instead. The macro expands to calls of
/// [`AuthModule::builder`] only.
#[macro_export]
macro_rules! auth_module {
    () => {
        // The macro below would have no word to point at.
        ::core::compile_error!($crate::private::empty_module!())
    };
    ($($input:tt)*) => {
        $crate::private::auth_module! { ($crate) $($input)* }
    };
}
