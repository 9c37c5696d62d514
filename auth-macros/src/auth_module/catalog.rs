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
}

/// The keys as they are written.
pub(crate) static KEYS: [(&str, Key); 8] = [
    ("config", Key::Config),
    ("features", Key::Features),
    ("user_repo", Key::UserRepo),
    ("password_reset_repo", Key::PasswordResetRepo),
    ("actions", Key::Actions),
    ("delivery", Key::Delivery),
    ("events", Key::Events),
    ("store", Key::Store),
];

/// A feature (requirements §1).
#[derive(Debug)]
pub(crate) struct Feature {
    /// The constant, which is what a host writes.
    pub(crate) word: &'static str,
    /// The builder's method; its parameters are the needs, in their order. `None` while the feature is not built.
    pub(crate) method: Option<&'static str>,
    pub(crate) needs: &'static [Provider],
}

/// Something that a host supplies for a feature (requirements §2). No two features need the same.
#[derive(Debug)]
pub(crate) struct Provider {
    /// What a host writes before the colon.
    pub(crate) word: &'static str,
    pub(crate) place: Place,
    /// What is wrong when it is missing: for a provider of requirements §2 the sentence of requirements §7.
    pub(crate) missing: &'static str,
    /// Values to choose from and paste, each with a remark, which may be empty.
    pub(crate) values: &'static [(&'static str, &'static str)],
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

/// The six features, in the order of requirements §1.
pub(crate) static FEATURES: [Feature; 6] = [
    Feature {
        word: "REGISTRATION",
        method: Some("registration"),
        needs: &[Provider {
            word: "CreatesNewUsers",
            place: Place::Actions,
            missing: "Missing provider: CREATES_NEW_USERS. Register an implementation of CreatesNewUsers.",
            values: &[STANDARD_ACTIONS],
        }],
    },
    Feature {
        word: "RESET_PASSWORDS",
        method: Some("reset_passwords"),
        needs: &[
            Provider {
                word: "password_reset_repo",
                place: Place::PasswordResetRepo,
                missing: "Missing provider: PASSWORD_RESET_REPOSITORY. Register an implementation of PasswordResetRepository.",
                values: &[("auth::sql::SqlPasswordResets::new(pool.clone())", "")],
            },
            Provider {
                word: "ResetsUserPasswords",
                place: Place::Actions,
                missing: "Missing provider: RESETS_USER_PASSWORDS. Register an implementation of ResetsUserPasswords.",
                values: &[STANDARD_ACTIONS],
            },
            Provider {
                word: "PasswordReset",
                place: Place::Delivery,
                missing: "Missing delivery: PasswordReset. Say how the reset token reaches the user.",
                values: &[
                    ("Mailer::new(smtp)", "your own, which sends it to the address"),
                    ("auth::InResponse", "in the HTTP answer: whoever knows an address can take its account"),
                ],
            },
        ],
    },
    Feature {
        word: "EMAIL_VERIFICATION",
        method: Some("email_verification"),
        needs: &[Provider {
            word: "EmailVerification",
            place: Place::Delivery,
            missing: "Missing delivery: EmailVerification. Say how the verification link reaches the user.",
            values: &[
                ("Mailer::new(smtp)", "your own, which sends it to the address"),
                ("auth::InResponse", "in the HTTP answer: a user can verify an address of somebody else's"),
            ],
        }],
    },
    Feature {
        word: "UPDATE_PROFILE_INFORMATION",
        method: Some("update_profile_information"),
        needs: &[Provider {
            word: "UpdatesUserProfile",
            place: Place::Actions,
            missing: "Missing provider: UPDATES_USER_PROFILE. Register an implementation of UpdatesUserProfile.",
            values: &[STANDARD_ACTIONS],
        }],
    },
    Feature {
        word: "UPDATE_PASSWORDS",
        method: Some("update_passwords"),
        needs: &[Provider {
            word: "UpdatesUserPasswords",
            place: Place::Actions,
            missing: "Missing provider: UPDATES_USER_PASSWORDS. Register an implementation of UpdatesUserPasswords.",
            values: &[STANDARD_ACTIONS],
        }],
    },
    Feature { word: "TWO_FACTOR_AUTHENTICATION", method: Some("two_factor_authentication"), needs: &[] },
];

const STANDARD_ACTIONS: (&str, &str) = ("auth::StandardActions", "");

/// What can be given in this place, with the words that say so.
pub(crate) fn providers(place: Place) -> impl Iterator<Item = (&'static str, &'static Provider)> + Clone {
    let needs = FEATURES.iter().flat_map(|feature| feature.needs);
    needs.filter(move |provider| provider.place == place).map(|provider| (provider.word, provider))
}
