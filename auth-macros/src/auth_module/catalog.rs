//! What can be said in `auth_module!`, and what each feature needs. No other place of the macro knows a feature, an
//! action or a delivery by its name, so that a new one is a row here.

/// A key of the macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Config,
    Features,
    UserRepo,
    PasswordResetRepo,
    Actions,
    Delivery,
    Events,
    Store,
    Deployment,
}

/// The keys as they are written.
pub(crate) static KEYS: [(&str, Key); 9] = [
    ("config", Key::Config),
    ("features", Key::Features),
    ("user_repo", Key::UserRepo),
    ("password_reset_repo", Key::PasswordResetRepo),
    ("actions", Key::Actions),
    ("delivery", Key::Delivery),
    ("events", Key::Events),
    ("store", Key::Store),
    ("deployment", Key::Deployment),
];

impl Key {
    /// A value to paste where there is none.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Config => "axum_auth_module::AuthConfig::from_env()?",
            Self::Features => "[]",
            Self::UserRepo => "axum_auth_module::sql::SqlUsers::<Account>::new(pool.clone())",
            Self::PasswordResetRepo => "axum_auth_module::sql::SqlPasswordResets::new(pool.clone())",
            Self::Actions => "axum_auth_module::StandardActions",
            Self::Delivery => "mailer.clone()",
            Self::Events => "axum_auth_module::events::EventChannel::new(256)",
            Self::Store => "axum_auth_module::store::MemoryStore::new()",
            Self::Deployment => "one",
        }
    }
}

/// How many instances of the host there are, as it is written.
pub(crate) static DEPLOYMENTS: [(&str, Deployment); 2] =
    [("one", Deployment::One), ("many", Deployment::Many)];

/// How many instances of the host there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deployment {
    One,
    /// They have to share the store.
    Many,
}

/// Options that `AuthConfig` has and a host may look for here.
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

/// A feature (specification §4.1).
#[derive(Debug)]
pub(crate) struct Feature {
    /// The constant, which is what a host writes.
    pub(crate) word: &'static str,
    /// The builder's method; its parameters are the needs, in their order.
    pub(crate) method: &'static str,
    pub(crate) needs: &'static [Provider],
}

/// Something that a host supplies for a feature (specification §3). No two features need the same.
#[derive(Debug)]
pub(crate) struct Provider {
    /// What a host writes before the colon.
    pub(crate) word: &'static str,
    /// The trait of `auth` that its value implements.
    pub(crate) interface: &'static str,
    pub(crate) place: Place,
    /// What is wrong when it is missing: for a provider of specification §3 the sentence of specification §23.2.
    pub(crate) missing: &'static str,
    /// Values to choose from and paste, each below a remark, which may be empty.
    pub(crate) choices: &'static [(&'static str, &'static str)],
}

/// Where in the macro a provider is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Behind the key `password_reset_repo`.
    PasswordResetRepo,
    /// In the map behind `actions`, or in the one value there.
    Actions,
    /// In the map behind `delivery`, or in the one value there.
    Delivery,
}

impl Provider {
    /// Whether its trait is generic over the host's user type, as those of actions are.
    pub(crate) fn is_of_users(&self) -> bool {
        self.place == Place::Actions
    }

    /// A value to paste where there is none.
    pub(crate) fn example(&self) -> &'static str {
        self.choices.first().map_or("…", |(_, value)| value)
    }
}

impl Place {
    /// The key that holds all providers of this place, if one does.
    pub(crate) fn key(self) -> Option<&'static str> {
        match self {
            Self::PasswordResetRepo => None,
            Self::Actions => Some("actions"),
            Self::Delivery => Some("delivery"),
        }
    }
}

/// The six features, in the order of specification §4.1.
pub(crate) static FEATURES: [Feature; 6] = [
    Feature {
        word: "REGISTRATION",
        method: "registration",
        needs: &[Provider {
            word: "CreatesNewUsers",
            interface: "CreatesNewUsers",
            place: Place::Actions,
            missing: "Missing provider: CREATES_NEW_USERS. Register an implementation of CreatesNewUsers.",
            choices: &[STANDARD_ACTIONS],
        }],
    },
    Feature {
        word: "RESET_PASSWORDS",
        method: "reset_passwords",
        needs: &[
            Provider {
                word: "password_reset_repo",
                interface: "PasswordResetRepository",
                place: Place::PasswordResetRepo,
                missing: "Missing provider: PASSWORD_RESET_REPOSITORY. Register an implementation of PasswordResetRepository.",
                choices: &[(
                    "That of cargo feature `sqlite`, or your own `axum_auth_module::repository::PasswordResetRepository`:",
                    "axum_auth_module::sql::SqlPasswordResets::new(pool.clone())",
                )],
            },
            Provider {
                word: "ResetsUserPasswords",
                interface: "ResetsUserPasswords",
                place: Place::Actions,
                missing: "Missing provider: RESETS_USER_PASSWORDS. Register an implementation of ResetsUserPasswords.",
                choices: &[STANDARD_ACTIONS],
            },
            Provider {
                word: "PasswordReset",
                interface: "PasswordResetDelivery",
                place: Place::Delivery,
                missing: "Missing delivery: PasswordReset. Say how the reset token reaches the user.",
                choices: &[
                    (
                        "Your own `axum_auth_module::delivery::PasswordResetDelivery`, or that of cargo feature `mail`:",
                        "mailer.clone()",
                    ),
                    (
                        "Or in the HTTP answer, where whoever knows an address can take its account:",
                        "axum_auth_module::InResponse",
                    ),
                ],
            },
        ],
    },
    Feature {
        word: "EMAIL_VERIFICATION",
        method: "email_verification",
        needs: &[Provider {
            word: "EmailVerification",
            interface: "EmailVerificationDelivery",
            place: Place::Delivery,
            missing: "Missing delivery: EmailVerification. Say how the verification link reaches the user.",
            choices: &[
                (
                    "Your own `axum_auth_module::delivery::EmailVerificationDelivery`, or that of cargo feature `mail`:",
                    "mailer.clone()",
                ),
                (
                    "Or in the HTTP answer, where a user can verify an address of somebody else's:",
                    "axum_auth_module::InResponse",
                ),
            ],
        }],
    },
    Feature {
        word: "UPDATE_PROFILE_INFORMATION",
        method: "update_profile_information",
        needs: &[Provider {
            word: "UpdatesUserProfile",
            interface: "UpdatesUserProfile",
            place: Place::Actions,
            missing: "Missing provider: UPDATES_USER_PROFILE. Register an implementation of UpdatesUserProfile.",
            choices: &[STANDARD_ACTIONS],
        }],
    },
    Feature {
        word: "UPDATE_PASSWORDS",
        method: "update_passwords",
        needs: &[Provider {
            word: "UpdatesUserPasswords",
            interface: "UpdatesUserPasswords",
            place: Place::Actions,
            missing: "Missing provider: UPDATES_USER_PASSWORDS. Register an implementation of UpdatesUserPasswords.",
            choices: &[STANDARD_ACTIONS],
        }],
    },
    Feature { word: "TWO_FACTOR_AUTHENTICATION", method: "two_factor_authentication", needs: &[] },
];

const STANDARD_ACTIONS: (&str, &str) = ("", "axum_auth_module::StandardActions");

/// What can be given in this place, with the words that say so.
pub(crate) fn providers(place: Place) -> impl Iterator<Item = (&'static str, &'static Provider)> + Clone {
    let needs = FEATURES.iter().flat_map(|feature| feature.needs);
    needs.filter(move |provider| provider.place == place).map(|provider| (provider.word, provider))
}
