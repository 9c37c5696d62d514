//! The words that a host can write in `auth_module!` and in `#[auth(…)]`.
//!
//! Nothing is called here. Generated code names these where the host wrote the words, so that an editor that is asked
//! about a word shows what it takes, and proposes what there is where a word is begun. A test in `auth-macros` holds them
//! to the words that the macro knows.

/// What stands before a colon in the macro itself.
pub mod keys {
    use crate::config::AuthConfig;
    use crate::events::EventSink;
    use crate::feature::Feature;
    use crate::repository::{PasswordResetRepository, UserRepository};
    use crate::store::EphemeralStore;

    /// The module's secrets and options. Required.
    ///
    /// ```ignore
    /// config: axum_auth_module::AuthConfig::from_env()?,
    /// ```
    pub fn config(_: AuthConfig) {}

    /// What the module offers beyond login, refresh, logout and password confirmation. Required, and `[]` is an answer.
    ///
    /// ```ignore
    /// features: [REGISTRATION, RESET_PASSWORDS],
    /// features: enabled(settings.features) within [REGISTRATION, RESET_PASSWORDS],
    /// ```
    ///
    /// The second decides at start-up which of the list answer; the others answer 404.
    pub fn features(_: &[Feature]) {}

    /// Where the host keeps its users. Required.
    ///
    /// ```ignore
    /// user_repo: axum_auth_module::sql::SqlUsers::<Account>::new(pool.clone()),
    /// ```
    pub fn user_repo(_: impl UserRepository) {}

    /// Where the host keeps the hashes of reset tokens. RESET_PASSWORDS asks for it.
    ///
    /// ```ignore
    /// password_reset_repo: axum_auth_module::sql::SqlPasswordResets::new(pool.clone()),
    /// ```
    pub fn password_reset_repo(_: impl PasswordResetRepository) {}

    /// The host's business rules: a value for each action that the listed features ask for, or one value that is all of
    /// them. `axum_auth_module::StandardActions` is the shipped one.
    ///
    /// ```ignore
    /// actions: { CreatesNewUsers: CreateAccount, ResetsUserPasswords: axum_auth_module::StandardActions },
    /// actions: axum_auth_module::StandardActions,
    /// ```
    ///
    /// | action | asked for by |
    /// |---|---|
    /// | `CreatesNewUsers` | REGISTRATION |
    /// | `ResetsUserPasswords` | RESET_PASSWORDS |
    /// | `UpdatesUserProfile` | UPDATE_PROFILE_INFORMATION |
    /// | `UpdatesUserPasswords` | UPDATE_PASSWORDS |
    pub fn actions() {}

    /// How reset tokens and verification links reach their user: a value for each, or one value that is both.
    /// RESET_PASSWORDS asks for `PasswordReset`, EMAIL_VERIFICATION for `EmailVerification`.
    ///
    /// ```ignore
    /// delivery: { PasswordReset: mailer.clone(), EmailVerification: mailer },
    /// delivery: axum_auth_module::InResponse, // into the HTTP answer: whoever knows an address can take its account
    /// ```
    pub fn delivery() {}

    /// Where the module's events go. Without it none is emitted.
    ///
    /// ```ignore
    /// events: axum_auth_module::events::EventChannel::new(256),
    /// ```
    pub fn events(_: impl EventSink) {}

    /// Where short-lived facts are kept: attempt counters, ended sessions, spent codes. Without it they are in memory.
    ///
    /// ```ignore
    /// store: axum_auth_module::store::MemoryStore::new(),
    /// ```
    pub fn store(_: impl EphemeralStore) {}

    /// How many instances of the host run beside each other: `one`, as without it, or `many`, which asks for a `store` that
    /// they share.
    ///
    /// ```ignore
    /// deployment: many,
    /// store: shared_store, // marked with `axum_auth_module::store::SharedStore`
    /// ```
    pub fn deployment() {}
}

/// What stands behind `deployment:`.
pub mod deployment {
    /// The host runs once. What is short-lived may be kept in memory.
    pub fn one() {}

    /// The host runs several times. What is short-lived is kept in a `store` marked with `axum_auth_module::store::SharedStore`.
    pub fn many() {}
}

/// What stands before a colon in `actions`.
pub mod actions {
    pub use crate::actions::{
        CreatesNewUsers, ResetsUserPasswords, UpdatesUserPasswords, UpdatesUserProfile,
    };
}

/// What stands before a colon in `delivery`.
pub mod delivery {
    pub use crate::delivery::EmailVerificationDelivery as EmailVerification;
    pub use crate::delivery::PasswordResetDelivery as PasswordReset;
}

/// What is listed behind `features:`.
pub mod features {
    use crate::feature::Feature;

    /// `POST /register`.
    ///
    /// Needs `CreatesNewUsers` in `actions`.
    pub const REGISTRATION: Feature = Feature::REGISTRATION;

    /// `POST /forgot-password` and `POST /reset-password`.
    ///
    /// Needs `password_reset_repo`, `ResetsUserPasswords` in `actions` and `PasswordReset` in `delivery`.
    pub const RESET_PASSWORDS: Feature = Feature::RESET_PASSWORDS;

    /// `GET /email/verify/{id}/{hash}` and `POST /email/verification-notification`.
    ///
    /// Needs `EmailVerification` in `delivery`.
    pub const EMAIL_VERIFICATION: Feature = Feature::EMAIL_VERIFICATION;

    /// `PUT /user/profile-information`.
    ///
    /// Needs `UpdatesUserProfile` in `actions`.
    pub const UPDATE_PROFILE_INFORMATION: Feature = Feature::UPDATE_PROFILE_INFORMATION;

    /// `PUT /user/password`.
    ///
    /// Needs `UpdatesUserPasswords` in `actions`.
    pub const UPDATE_PASSWORDS: Feature = Feature::UPDATE_PASSWORDS;

    /// The `/user/two-factor-*` routes and `POST /two-factor-challenge`.
    ///
    /// Needs nothing more.
    pub const TWO_FACTOR_AUTHENTICATION: Feature = Feature::TWO_FACTOR_AUTHENTICATION;
}

/// What stands in `#[auth(…)]` on a field of a user record.
pub mod roles {
    use crate::user::{NullableText, NullableTimestamp, Text, UserId};

    /// The record's id: a number, a `Uuid`, a `String`, or whatever else prints itself and is read back from that.
    pub fn id(_: impl UserId) {}

    /// The name that the user goes by.
    pub fn name(_: impl Text) {}

    /// The e-mail address, trimmed and lower-cased.
    pub fn email(_: impl Text) {}

    /// The password's hash. Empty when the account has no password.
    pub fn password(_: impl Text) {}

    /// When the e-mail address was verified. Null until then.
    pub fn email_verified_at(_: impl NullableTimestamp) {}

    /// The encrypted two-factor secret. Null while two-factor is off.
    pub fn two_factor_secret(_: impl NullableText) {}

    /// The encrypted recovery codes, all in one text. Null while two-factor is off.
    pub fn two_factor_recovery_codes(_: impl NullableText) {}

    /// When two-factor was confirmed. Null until then, and while it is the second factor is not asked for.
    pub fn two_factor_confirmed_at(_: impl NullableTimestamp) {}

    /// When the password was last confirmed. Null until then.
    pub fn password_confirmed_at(_: impl NullableTimestamp) {}

    /// Whether the account may be used. It is optional; a suspended account is refused exactly as one that does not exist.
    pub fn is_active(_: bool) {}
}
