//! The words that a host can write in `auth_module!` and in `#[auth(…)]`, for editors.
//!
//! Nothing is called here. Generated code names these items where the host wrote the words, so that an editor shows their
//! documentation and completes a word. The words of features and of their providers are generated from the list of
//! features; a test in `auth-macros` compares the others with the words that the macro knows.

/// Makes the words of features and of their providers from the list of features.
macro_rules! completion {
    (
        features: [$({
            $variant:ident $feature:ident $value:literal $routes:literal $needs:literal $required:tt
        })*]
        own: [$({ { $own:ident $own_module:ident $own_trait:ident } $own_about:literal })*]
        actions: $about_actions:literal [$({ $action:ident $action_module:ident $action_trait:ident })*]
        delivery: $about_delivery:literal [$({ $delivery:ident $delivery_module:ident $delivery_trait:ident })*]
    ) => {
        mod generated_keys {
            $(
                #[doc = $own_about]
                pub fn $own(_: impl crate::$own_module::$own_trait) {}
            )*

            /// The host's business rules: a value for each action that the listed features need, one value for all of them,
            /// or `..value` for those that are not named. `axum_auth_module::StandardActions` implements them all.
            ///
            /// ```ignore
            /// actions: axum_auth_module::StandardActions,
            /// actions: { CreatesNewUsers: CreateAccount, ..axum_auth_module::StandardActions },
            /// ```
            ///
            #[doc = $about_actions]
            pub fn actions() {}

            /// How tokens, links and notices reach the user: a value for each delivery that the listed features need, one
            /// value for all of them, or `..value` for those that are not named. What is optional is given by its name.
            ///
            /// ```ignore
            /// delivery: { PasswordReset: reset_mails, EmailVerification: verification_mails, Notices: notices },
            /// delivery: axum_auth_module::InResponse, // in the HTTP response: unsafe in production
            /// ```
            ///
            #[doc = $about_delivery]
            pub fn delivery() {}
        }

        /// The words before a colon in `actions`.
        pub mod actions {
            $(pub use crate::$action_module::$action_trait as $action;)*
        }

        /// The words before a colon in `delivery`.
        pub mod delivery {
            $(pub use crate::$delivery_module::$delivery_trait as $delivery;)*
        }

        /// The words in the list after `features:`.
        pub mod features {
            use crate::feature::Feature;

            $(
                #[doc = $routes]
                #[doc = ""]
                #[doc = $needs]
                pub const $feature: Feature = Feature::$feature;
            )*
        }

        /// The traits that the host's providers implement.
        pub mod providers {
            $(pub use crate::$own_module::$own_trait;)*
            $(pub use crate::$action_module::$action_trait;)*
            $(pub use crate::$delivery_module::$delivery_trait;)*
        }
    };
}

axum_auth_module_macros::catalog! { completion }

/// The words before a colon in the macro itself.
pub mod keys {
    pub use super::generated_keys::*;
    use crate::config::AuthConfig;
    use crate::events::EventSink;
    use crate::feature::Feature;
    use crate::languages::Messages;
    use crate::passwords::PasswordVerifier;
    use crate::policy::Policy;
    use crate::repository::UserRepository;
    use crate::store::EphemeralStore;
    use crate::user::AuthUser;

    /// The module's secrets and options. Required.
    ///
    /// ```ignore
    /// config: axum_auth_module::AuthConfig::from_env()?,
    /// ```
    pub fn config(_: AuthConfig) {}

    /// The features of the module, beyond login, refresh, logout and password confirmation. Required; `[]` is allowed.
    ///
    /// ```ignore
    /// features: [REGISTRATION, RESET_PASSWORDS],
    /// features: enabled(settings.features) within [REGISTRATION, RESET_PASSWORDS],
    /// ```
    ///
    /// The second form decides at start-up which of the listed features are enabled: a set, or `None` for all of them.
    /// The others return 404.
    pub fn features(_: &[Feature]) {}

    /// Where the host stores its users. Required.
    ///
    /// ```ignore
    /// user_repo: axum_auth_module::sql::SqlUsers::<Account>::new(pool.clone()),
    /// ```
    pub fn user_repo(_: impl UserRepository) {}

    /// The languages of the host's users. Without it, all texts are in English.
    ///
    /// ```ignore
    /// messages: Messages::english().and(Messages::german()), // `axum_auth_module::languages::Messages`
    /// ```
    pub fn messages(_: Messages) {}

    /// Where the module's events go. Without it, none is emitted.
    ///
    /// ```ignore
    /// events: axum_auth_module::events::EventChannel::new(256),
    /// ```
    pub fn events(_: impl EventSink) {}

    /// Verifies stored password hashes of a kind that the library does not know. Without it, no password matches them.
    ///
    /// ```ignore
    /// password_verifier: LegacyHashes, // implements `axum_auth_module::passwords::PasswordVerifier`
    /// ```
    pub fn password_verifier(_: impl PasswordVerifier) {}

    /// What the host does not allow: passwords, addresses and logins. Without it, everything is allowed.
    ///
    /// ```ignore
    /// policy: axum_auth_module::policy::CommonPasswords, // with the cargo feature `common-passwords`
    /// policy: (Colleagues, axum_auth_module::policy::BreachedPasswords::new(client)),
    /// ```
    pub fn policy<U: AuthUser>(_: impl Policy<U>) {}

    /// Where short-lived data is stored: attempt counters, used codes. Default: in memory.
    ///
    /// ```ignore
    /// store: axum_auth_module::store::MemoryStore::new(),
    /// ```
    pub fn store(_: impl EphemeralStore) {}

    /// The name of the module's users, which separates them from those of other modules. Default: the path of the struct,
    /// with the configured audience in front. Two modules for one user type need two names.
    ///
    /// ```ignore
    /// realm: "staff",
    /// ```
    pub fn realm(_: impl Into<String>) {}

    /// How many instances of the host run: `one`, the default, or `many`, which requires a `store` and a `session_repo` that they share.
    ///
    /// ```ignore
    /// deployment: many,
    /// store: shared_store, // marked with `axum_auth_module::store::SharedStore`
    /// session_repo: axum_auth_module::sql::SqlSessions::new(pool.clone()),
    /// ```
    pub fn deployment() {}
}

/// The words after `deployment:`.
pub mod deployment {
    /// The host runs once. Short-lived data and sessions may be in memory.
    pub fn one() {}

    /// Several instances of the host run. Short-lived data is in a `store` marked with
    /// `axum_auth_module::store::SharedStore`, and sessions are in a `session_repo` marked with
    /// `axum_auth_module::repository::SharedSessions`.
    pub fn many() {}
}

/// The words in `#[auth(…)]` on a field of a user record.
pub mod roles {
    use crate::user::{NullableText, NullableTimestamp, Text, UserId};

    /// The record's id: a number, a `Uuid`, a `String`, or another type that implements `Display` and `FromStr`.
    pub fn id(_: impl UserId) {}

    /// The user's name.
    pub fn name(_: impl Text) {}

    /// The e-mail address, trimmed and lower-cased.
    pub fn email(_: impl Text) {}

    /// The password's hash. Empty, or null in an `Option`, when the account has no password.
    pub fn password(_: impl Text) {}

    /// When the e-mail address was verified. Null until then.
    pub fn email_verified_at(_: impl NullableTimestamp) {}

    /// The encrypted two-factor secret. Null while two-factor is off.
    pub fn two_factor_secret(_: impl NullableText) {}

    /// The encrypted recovery codes, all in one text. Null while two-factor is off.
    pub fn two_factor_recovery_codes(_: impl NullableText) {}

    /// When two-factor was confirmed. Null until then; a login does not need the second factor while it is null.
    pub fn two_factor_confirmed_at(_: impl NullableTimestamp) {}

    /// When the password was last confirmed. Null until then.
    pub fn password_confirmed_at(_: impl NullableTimestamp) {}

    /// Whether the account is active. Optional; a suspended account is refused exactly as one that does not exist.
    pub fn is_active(_: bool) {}

    /// When the account was suspended or deleted; null while it is active. Optional. With `is_active` as well, an account is active only
    /// if both fields say so.
    pub fn suspended_at(_: impl NullableTimestamp) {}

    /// The language that the user has chosen: `de`, `pt-BR`. Optional; mails to the user are in it, if the module has it.
    pub fn language(_: impl NullableText) {}

    /// The user name: a text, or an `Option` of one if users can be without. Optional; USERNAMES needs it. The table has a unique index
    /// on its column.
    pub fn username(_: impl Sized) {}
}
