//! The words of `auth_module!` that belong to no feature, and all of its keys.

use crate::catalog::{Place, Provider, providers};

/// A key of the macro.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    Config,
    Features,
    UserRepo,
    /// The key of a provider that has its own.
    Own(&'static Provider),
    Actions,
    Delivery,
    Messages,
    Events,
    PasswordVerifier,
    Policy,
    Store,
    Realm,
    Deployment,
}

/// The keys that every module can have.
const FIXED: [(&str, Key); 12] = [
    ("config", Key::Config),
    ("features", Key::Features),
    ("user_repo", Key::UserRepo),
    ("actions", Key::Actions),
    ("delivery", Key::Delivery),
    ("messages", Key::Messages),
    ("events", Key::Events),
    ("password_verifier", Key::PasswordVerifier),
    ("policy", Key::Policy),
    ("store", Key::Store),
    ("realm", Key::Realm),
    ("deployment", Key::Deployment),
];

/// All keys as they are written.
pub(crate) fn keys() -> impl Iterator<Item = (&'static str, Key)> + Clone {
    FIXED.into_iter().chain(providers(Place::Own).map(|(word, provider)| (word, Key::Own(provider))))
}

/// The key of this name.
pub(crate) fn key(word: &str) -> Option<(&'static str, Key)> {
    keys().find(|(known, _)| *known == word)
}

impl Key {
    /// A value to paste.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Config => "axum_auth_module::AuthConfig::from_env()?",
            Self::Features => "[]",
            Self::UserRepo => "axum_auth_module::sql::SqlUsers::<Account>::new(pool.clone())",
            Self::Own(provider) => provider.example(),
            Self::Actions => Place::Actions.example(),
            Self::Delivery => Place::Delivery.example(),
            Self::Messages => "axum_auth_module::languages::Messages::english()",
            Self::Events => "axum_auth_module::events::EventChannel::new(256)",
            Self::PasswordVerifier => "LegacyHashes",
            Self::Policy => "axum_auth_module::policy::CommonPasswords",
            Self::Store => "axum_auth_module::store::MemoryStore::new()",
            Self::Realm => "\"staff\"",
            Self::Deployment => "one",
        }
    }

    /// Whether its value is one expression and nothing else.
    pub(crate) fn takes_expression(self) -> bool {
        match self {
            Self::Config
            | Self::UserRepo
            | Self::Own(_)
            | Self::Messages
            | Self::Events
            | Self::PasswordVerifier
            | Self::Policy
            | Self::Store
            | Self::Realm => true,
            Self::Features | Self::Actions | Self::Delivery | Self::Deployment => false,
        }
    }
}

/// How many instances of the host run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deployment {
    One,
    /// They must share the store.
    Many,
}

/// The words for it.
pub(crate) static DEPLOYMENTS: [(&str, Deployment); 2] =
    [("one", Deployment::One), ("many", Deployment::Many)];

/// Options of `AuthConfig` that a host may try to set in the macro.
pub(crate) static OPTIONS: [&str; 9] = [
    "jwt_secret",
    "refresh_secret",
    "encryption_key",
    "app_name",
    "two_factor",
    "password_timeout",
    "bcrypt_cost",
    "trusted_proxies",
    "limits",
];
