//! An embeddable authentication backend for axum.
//!
//! The host keeps its user table and its business rules. The library brings the endpoints, the tokens, the
//! cryptography, the limits and the care; and what a host has forgotten is a compile error that says what to type.
//!
//! * [`AuthUser`] maps a host's struct to the nine fields that the library reads. Derive it.
//! * [`auth_module!`] checks that everything the listed features need is there, and is the module.
//! * [`AuthModule`] lives in the host's state; [`AuthModule::router`] has the routes.
//! * [`CurrentUser`], [`VerifiedUser`], [`ConfirmedUser`] and [`Claims`] are extractors for the host's own routes.
//! * [`AuthModule::services`] does without HTTP what the routes do, for other front ends and administrators' tasks.
//! * An [`EventSink`] hears what happens; [`EventChannel`] is a ready-made one.
//!
//! Everything works without the macro, too: see [`AuthModule::builder`].
//!
//! # Cargo features
//!
//! None is on by default, and the default build has no C code in it.
//!
//! * `sqlite` — repositories over sqlx for SQLite, generic over the host's struct (`auth::sql`). Compiles SQLite.
//! * `mail` — delivery of both mails by SMTP, or into a directory (`auth::mail`). Compiles ring, which has C in it.
//! * `testing` — a movable clock, in-memory repositories and a cheap configuration for tests (`auth::testing`).
//! * `jwt-rust-crypto`, `jwt-aws-lc` — a complete backend for `jsonwebtoken`, for hosts that use that crate themselves.
//!   The library needs neither and works with both.

#![cfg_attr(docsrs, feature(doc_cfg))]

// The derive writes `::auth`, in this crate's own tests as well.
#[cfg(all(test, feature = "sqlite"))]
extern crate self as auth;

mod assembly;
mod client;
mod clock;
mod config;
mod crypto;
mod error;
mod event;
mod extract;
mod feature;
mod features;
mod http;
mod limits;
#[cfg(feature = "mail")]
pub mod mail;
mod module;
mod provided;
mod providers;
mod shared;
#[cfg(feature = "sqlite")]
pub mod sql;
mod standard;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod uri;
pub mod user;
mod values;

#[doc(hidden)]
pub mod private;

pub use assembly::AuthModuleBuilder;
pub use async_trait::async_trait;
pub use auth_macros::AuthUser;
pub use client::ClientAddress;
pub use clock::{Clock, SystemClock};
pub use config::{AuthConfig, AuthConfigBuilder, RateLimit, RateLimits, TwoFactorOptions};
pub use crypto::Passwords;
pub use error::{
    ActionError, AuthError, BoxError, ConfigError, ConfigProblem, ErrorCode, FieldError, FieldErrors,
    RepositoryError,
};
pub use event::{Event, EventKind, LockedOut};
pub use extract::{Claims, ConfirmedUser, CurrentUser, VerifiedUser};
pub use feature::{Feature, FeatureSet, UnknownFeature};
pub use features::email_verification::{EmailVerificationService, Notification};
pub use features::password_confirmation::PasswordConfirmationService;
pub use features::registration::RegistrationService;
pub use features::reset_passwords::ResetPasswordsService;
pub use features::session::{LoggedIn, SessionService};
pub use features::two_factor_authentication::{
    Enabled, Proof, TwoFactorAuthenticationService, TwoFactorChallengeService,
};
pub use features::update_passwords::UpdatePasswordsService;
pub use features::update_profile_information::UpdateProfileInformationService;
pub use module::{AuthModule, Services};
pub use providers::{
    ActionContext, Channel, CreatesNewUsers, EmailVerificationDelivery, EmailVerificationMessage,
    EventChannel, EventSink, InResponse, PasswordResetDelivery, PasswordResetMessage,
    PasswordResetRepository, PasswordUpdateData, ProfileData, RegistrationData, ResetsUserPasswords,
    StoredResetToken, UpdatesUserPasswords, UpdatesUserProfile, UserRepository, VerificationData,
};
pub use shared::{Identity, SessionClaims, TokenPair};
pub use standard::StandardActions;
pub use store::{EphemeralStore, MemoryStore, SharedStore, Slot};
pub use user::{AuthUser, AuthUserMut, NewUser, UserChange, UserField, UserId, UserPatch};
pub use values::{EmailAddress, NewPassword, Password, UserName};

/// Checks at compile time that everything the listed features need is there, and is the module: an expression of type
/// [`AuthModule<U>`](AuthModule), where `U` is the repository's user record.
///
/// ```
/// use auth::testing::{self, MemoryUsers};
/// use auth::{AuthModule, AuthUser, StandardActions, auth_module};
/// # use std::time::SystemTime;
/// # #[derive(Clone, Default, AuthUser)]
/// # struct Account { id: u32, name: String, email: String, password: String, email_verified_at: Option<SystemTime>,
/// #   two_factor_secret: Option<String>, two_factor_recovery_codes: Option<String>,
/// #   two_factor_confirmed_at: Option<SystemTime>, password_confirmed_at: Option<SystemTime> }
///
/// # fn main() -> Result<(), auth::ConfigError> {
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
             config: auth::AuthConfig::from_env()?,\n    \
             features: [REGISTRATION],\n    \
             user_repo: auth::sql::SqlUsers::<Account>::new(pool.clone()),\n    \
             actions: auth::StandardActions,"
        )
    };
    ($($input:tt)*) => {
        $crate::private::auth_module! { ($crate) $($input)* }
    };
}
