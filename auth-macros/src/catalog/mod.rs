//! The list of features. Every other list of them, in both crates, is generated from this one.
//!
//! A new feature is a row in [`FEATURES`]. From it follow `Feature` and its constants, the words and messages of
//! `auth_module!`, and what editors show.

mod names;
mod place;
mod row;
mod tokens;

pub(crate) use names::{method, missing_feature, missing_provider};
pub(crate) use place::Place;
pub(crate) use row::{FeatureRow, Provider, Requirement, Setting};
pub(crate) use tokens::tokens;

/// What most rows say: no provider, nothing required.
pub(crate) const PLAIN: FeatureRow = FeatureRow {
    word: "",
    method: None,
    routes: "",
    needs: &[],
    record: None,
    requires: &[],
    cargo_features: &[],
    needs_option: false,
};

/// The features, in the order of specification §4.1.
pub(crate) static FEATURES: &[FeatureRow] = &[
    FeatureRow {
        word: "REGISTRATION",
        routes: "`POST /register`.",
        needs: &[action("CreatesNewUsers", "how a new user is created")],
        ..PLAIN
    },
    FeatureRow {
        word: "RESET_PASSWORDS",
        routes: "`POST /forgot-password` and `POST /reset-password`.",
        needs: &[
            Provider {
                word: "password_reset_repo",
                module: "repository",
                trait_name: "PasswordResetRepository",
                message: None,
                place: Place::Own,
                about: "where the host stores the hashes of reset tokens",
                choices: &[(
                    "From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::repository::PasswordResetRepository`:",
                    "axum_auth_module::sql::SqlPasswordResets::new(pool.clone())",
                )],
                setting: None,
            },
            action("ResetsUserPasswords", "how the new password is stored"),
            Provider {
                word: "PasswordReset",
                module: "delivery",
                trait_name: "Delivers",
                message: Some("PasswordResetMessage"),
                place: Place::Delivery,
                about: "how the reset token reaches the user",
                choices: &[
                    (
                        "`mailer.password_reset(link)?` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
                        "reset_mails",
                    ),
                    (
                        "Or in the HTTP response, where anyone who knows an address can take over its account:",
                        "axum_auth_module::InResponse",
                    ),
                ],
                setting: None,
            },
        ],
        ..PLAIN
    },
    FeatureRow {
        word: "EMAIL_VERIFICATION",
        routes: "`GET /email/verify/{id}/{hash}` and `POST /email/verification-notification`.",
        needs: &[Provider {
            word: "EmailVerification",
            module: "delivery",
            trait_name: "Delivers",
            message: Some("EmailVerificationMessage"),
            place: Place::Delivery,
            about: "how the verification link reaches the user",
            choices: &[
                (
                    "`mailer.email_verification(link)?` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
                    "verification_mails",
                ),
                (
                    "Or in the HTTP response, where a user can verify an address that belongs to someone else:",
                    "axum_auth_module::InResponse",
                ),
            ],
            setting: None,
        }],
        ..PLAIN
    },
    FeatureRow {
        word: "UPDATE_PROFILE_INFORMATION",
        routes: "`PUT /user/profile-information`.",
        needs: &[action("UpdatesUserProfile", "how a changed profile is stored")],
        ..PLAIN
    },
    FeatureRow {
        word: "UPDATE_PASSWORDS",
        routes: "`PUT /user/password`.",
        needs: &[action("UpdatesUserPasswords", "how a changed password is stored")],
        ..PLAIN
    },
    FeatureRow {
        word: "TWO_FACTOR_AUTHENTICATION",
        routes: "The `/user/two-factor-*` routes and `POST /two-factor-challenge`.",
        ..PLAIN
    },
    FeatureRow {
        word: "SESSIONS",
        routes: "`GET /user/sessions`, `DELETE /user/sessions/{id}` and `DELETE /user/sessions`.",
        needs: &[Provider {
            word: "session_repo",
            module: "repository",
            trait_name: "SessionRepository",
            message: None,
            place: Place::Own,
            about: "where the sessions are stored",
            choices: &[(
                "From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::repository::SessionRepository`:",
                "axum_auth_module::sql::SqlSessions::new(pool.clone())",
            )],
            setting: Some(Setting {
                method: "session_repo",
                shared_trait: Some("SharedSessions"),
                with: &[],
            }),
        }],
        ..PLAIN
    },
    FeatureRow {
        word: "BROWSER_SESSIONS",
        routes: "`browser_router()`: the routes for browsers, which keep a session cookie, and `GET /session`.",
        ..PLAIN
    },
    FeatureRow {
        word: "EMAIL_LOGIN",
        routes: "`POST /login/email`, `POST /login/email/verify`, `POST /user/confirm-email` and `POST /user/confirm-email/verify`.",
        needs: &[Provider {
            word: "EmailLogin",
            module: "delivery",
            trait_name: "Delivers",
            message: Some("EmailLoginMessage"),
            place: Place::Delivery,
            about: "how the login code reaches the user",
            choices: &[(
                "`mailer.email_login(link)?` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
                "login_mails",
            )],
            setting: None,
        }],
        // Otherwise a new user could prove the address only by giving up the password.
        requires: &[Requirement { with: Some("REGISTRATION"), any_of: &["EMAIL_VERIFICATION"] }],
        ..PLAIN
    },
    FeatureRow {
        word: "PASSWORDLESS_REGISTRATION",
        routes: "`POST /register/passwordless`.",
        needs: &[action("CreatesPasswordlessUsers", "how a new user without a password is created")],
        requires: &[Requirement { with: None, any_of: &["EMAIL_LOGIN", "SOCIAL_LOGIN"] }],
        ..PLAIN
    },
    FeatureRow {
        word: "CHANGE_EMAILS",
        routes: "The `/user/email-change` routes and `POST /email/revert`.",
        needs: &[Provider {
            word: "EmailChange",
            module: "delivery",
            trait_name: "Delivers",
            message: Some("EmailChangeMessage"),
            place: Place::Delivery,
            about: "how mails about a changed address reach the user",
            choices: &[(
                "`mailer.email_change(link)?` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
                "change_mails",
            )],
            setting: None,
        }],
        requires: &[
            // A mail to an address that nobody has proven tells nobody anything.
            Requirement { with: None, any_of: &["EMAIL_VERIFICATION", "EMAIL_LOGIN"] },
            // Without a way back by mail an account that was taken back could not be opened.
            Requirement { with: None, any_of: &["RESET_PASSWORDS", "EMAIL_LOGIN"] },
        ],
        ..PLAIN
    },
    FeatureRow {
        word: "SECURITY_NOTICES",
        routes: "`POST /account/secure`.",
        needs: &[Provider {
            word: "SecurityNotice",
            module: "delivery",
            trait_name: "Delivers",
            message: Some("SecurityNoticeMessage"),
            place: Place::Delivery,
            about: "how a security notice reaches the owner of an account",
            choices: &[(
                "`mailer.security_notice(link)?` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
                "security_mails",
            )],
            setting: None,
        }],
        requires: &[
            // Notices go to verified addresses only.
            Requirement { with: None, any_of: &["EMAIL_VERIFICATION", "EMAIL_LOGIN"] },
            // Without a way back by mail an account that was locked down could not be opened.
            Requirement { with: None, any_of: &["RESET_PASSWORDS", "EMAIL_LOGIN"] },
        ],
        ..PLAIN
    },
    FeatureRow {
        word: "DELETE_ACCOUNTS",
        routes: "`DELETE /user` and `POST /user/restore`.",
        needs: &[
            Provider {
                word: "deletion_repo",
                module: "repository",
                trait_name: "DeletionRepository",
                message: None,
                place: Place::Own,
                about: "where the pending deletions are stored",
                choices: &[(
                    "From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::repository::DeletionRepository`:",
                    "axum_auth_module::sql::SqlDeletions::new(pool.clone())",
                )],
                setting: None,
            },
            Provider {
                choices: &[(
                    "`DeleteRecord` deletes the row of the user and nothing else; for more, write your own `axum_auth_module::actions::DeletesUsers`:",
                    "axum_auth_module::actions::DeleteRecord::new(axum_auth_module::sql::SqlUsers::new(pool.clone()))",
                )],
                ..action("DeletesUsers", "how a user is deleted")
            },
            Provider {
                word: "AccountDeletion",
                module: "delivery",
                trait_name: "Delivers",
                message: Some("AccountDeletionMessage"),
                place: Place::Delivery,
                about: "how mails about the deletion of an account reach the user",
                choices: &[(
                    "`mailer.account_deletion(link)?` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
                    "deletion_mails",
                )],
                setting: None,
            },
        ],
        ..PLAIN
    },
    FeatureRow {
        word: "USERNAMES",
        method: Some("with_usernames"),
        routes: "The field `username` of `POST /login`, `/register`, `/register/passwordless` and `PUT /user/profile-information`.",
        record: Some("HasUsername"),
        ..PLAIN
    },
    FeatureRow {
        word: "PASSKEYS",
        routes: "The `/passkeys/login`, `/user/passkeys` and `/user/confirm-passkey` routes, and passkeys at the challenge.",
        needs: &[Provider {
            word: "passkey_repo",
            module: "repository",
            trait_name: "PasskeyRepository",
            message: None,
            place: Place::Own,
            about: "where the passkeys are stored",
            choices: &[(
                "From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::repository::PasskeyRepository`:",
                "axum_auth_module::sql::SqlPasskeys::new(pool.clone())",
            )],
            setting: None,
        }],
        cargo_features: &["passkeys"],
        needs_option: true,
        ..PLAIN
    },
    FeatureRow {
        word: "SOCIAL_LOGIN",
        routes: "The `/oauth`, `/user/identities` and `/user/confirm-provider` routes.",
        needs: &[
            Provider {
                word: "identity_repo",
                module: "repository",
                trait_name: "IdentityRepository",
                message: None,
                place: Place::Own,
                about: "where the identities of users at providers are stored",
                choices: &[(
                    "From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::repository::IdentityRepository`:",
                    "axum_auth_module::sql::SqlIdentities::new(pool.clone())",
                )],
                setting: None,
            },
            Provider {
                word: "social_providers",
                module: "given",
                trait_name: "SocialProviders",
                message: None,
                place: Place::Own,
                about: "with which providers users can sign in",
                choices: &[(
                    "`SocialProviders::new([SocialProvider::google(id, secret, redirect_uri)])?` of `axum_auth_module::social`:",
                    "providers",
                )],
                setting: None,
            },
            Provider {
                word: "http_client",
                module: "http",
                trait_name: "HttpClient",
                message: None,
                place: Place::Own,
                about: "how requests to the providers are sent",
                choices: &[(
                    "From cargo feature `http-client`, or your own `axum_auth_module::http::HttpClient`:",
                    "axum_auth_module::http::OutboundClient::new()",
                )],
                setting: None,
            },
        ],
        cargo_features: &["social-login"],
        ..PLAIN
    },
    FeatureRow {
        word: "API_TOKENS",
        routes: "The `/user/api-tokens` routes, and the extractors `ApiUser` and `UserOrApi`.",
        needs: &[
            Provider {
                word: "api_token_repo",
                module: "repository",
                trait_name: "ApiTokenRepository",
                message: None,
                place: Place::Own,
                about: "where the API tokens are stored",
                choices: &[(
                    "From cargo feature `sqlite`, `postgres` or `mysql`, or your own `axum_auth_module::repository::ApiTokenRepository`:",
                    "axum_auth_module::sql::SqlApiTokens::new(pool.clone())",
                )],
                setting: None,
            },
            Provider {
                word: "api_scopes",
                module: "given",
                trait_name: "ApiScopes",
                message: None,
                place: Place::Own,
                about: "what API tokens can be allowed to do",
                choices: &[(
                    "`ApiScopes::new([\"orders:read\", \"orders:write\"])?` of `axum_auth_module::config`:",
                    "scopes",
                )],
                setting: None,
            },
        ],
        ..PLAIN
    },
    FeatureRow {
        word: "TRUSTED_DEVICES",
        routes: "The field `trustDevice` of `POST /two-factor-challenge`, and the `/user/trusted-devices` routes.",
        requires: &[
            Requirement { with: None, any_of: &["TWO_FACTOR_AUTHENTICATION"] },
            // Without the list a user could not end the sessions of a device that is lost.
            Requirement { with: None, any_of: &["SESSIONS"] },
        ],
        ..PLAIN
    },
    FeatureRow {
        word: "INVITATIONS",
        routes: "`POST /invitation/accept`, for users whom `admin().invite` has sent a mail.",
        needs: &[Provider {
            word: "Invitation",
            module: "delivery",
            trait_name: "Delivers",
            message: Some("InvitationMessage"),
            place: Place::Delivery,
            about: "how an invitation reaches its user",
            choices: &[(
                "`mailer.invitation(link)?` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
                "invitation_mails",
            )],
            setting: None,
        }],
        ..PLAIN
    },
    FeatureRow {
        word: "SERVICE_TOKENS",
        routes: "`POST /service-token`, and `/.well-known/jwks.json` in `well_known()`.",
        needs: &[Provider {
            word: "service_keys",
            module: "given",
            trait_name: "ServiceKeys",
            message: None,
            place: Place::Own,
            about: "the keys that sign tokens for other services",
            choices: &[(
                "`ServiceKeys::ed25519_pem(pem)?.audiences([\"billing\"])` of `axum_auth_module::config`:",
                "keys",
            )],
            setting: None,
        }],
        cargo_features: &["service-tokens"],
        needs_option: true,
        ..PLAIN
    },
];

/// The providers that no feature needs. A value for all providers of their place is not used for them: they are given by name.
pub(crate) static OPTIONAL: &[Provider] = &[Provider {
    word: "Notices",
    module: "delivery",
    trait_name: "Delivers",
    message: Some("Notice"),
    place: Place::Delivery,
    about: "how notices reach the owners of accounts",
    choices: &[(
        "`mailer.notices()` of cargo feature `mail`, or your own `axum_auth_module::delivery::Delivers`:",
        "notices",
    )],
    setting: Some(Setting { method: "notices", shared_trait: None, with: &["EMAIL_VERIFICATION"] }),
}];

const STANDARD_ACTIONS: (&str, &str) = ("", "axum_auth_module::StandardActions");

/// An action, which `StandardActions` implements.
const fn action(trait_name: &'static str, about: &'static str) -> Provider {
    Provider {
        word: trait_name,
        module: "actions",
        trait_name,
        message: None,
        place: Place::Actions,
        about,
        choices: &[STANDARD_ACTIONS],
        setting: None,
    }
}

/// The library's cargo features that a row can ask for, and whether they are enabled. This crate has features of the same
/// names, which those of the library enable.
pub(crate) static CARGO_FEATURES: &[(&str, bool)] = &[
    ("mail", cfg!(feature = "mail")),
    ("passkeys", cfg!(feature = "passkeys")),
    ("service-tokens", cfg!(feature = "service-tokens")),
    ("social-login", cfg!(feature = "social-login")),
];

/// The providers of a place, each with its word.
pub(crate) fn providers(place: Place) -> impl Iterator<Item = (&'static str, &'static Provider)> + Clone {
    let all = FEATURES.iter().flat_map(|feature| feature.needs).chain(OPTIONAL);
    all.filter(move |provider| provider.place == place).map(|provider| (provider.word, provider))
}

/// The providers that a module can have without a feature that needs them.
pub(crate) fn settings() -> impl Iterator<Item = (&'static Provider, &'static Setting)> + Clone {
    let all = FEATURES.iter().flat_map(|feature| feature.needs).chain(OPTIONAL);
    all.filter_map(|provider| Some((provider, provider.setting.as_ref()?)))
}

/// The words of all features.
pub(crate) fn words() -> impl Iterator<Item = &'static str> + Clone {
    FEATURES.iter().map(|feature| feature.word)
}

#[cfg(test)]
mod tests;
