//! What a host needs for each feature, as a row.

use super::Database;
use crate::feature::Feature;

/// The SQL for a database.
type Sql = fn(Database) -> &'static str;

/// What a feature adds to a project.
pub(super) struct Part {
    pub(super) feature: Feature,
    /// Whether a project has it that says nothing else.
    pub(super) is_default: bool,
    /// Whether a project has it if its clients are browsers, and only then.
    pub(super) is_for_browsers: bool,
    /// The cargo feature of the library.
    pub(super) cargo_feature: Option<&'static str>,
    /// What the host imports.
    pub(super) imports: &'static [&'static str],
    /// Lines of the user record, and the SQL that adds their column.
    pub(super) record: Option<(&'static str, Sql)>,
    /// The key in `auth_module!`, and the type of `axum_auth_module::sql` that is its value.
    pub(super) repository: Option<(&'static str, &'static str)>,
    /// Other lines of `auth_module!`.
    pub(super) lines: &'static [&'static str],
    /// Whether the standard actions are needed.
    pub(super) has_actions: bool,
    /// Lines of `actions` beside the standard ones; `users` is the repository.
    pub(super) actions: &'static [&'static str],
    /// The keys in `delivery`, each with the call that makes its value.
    pub(super) deliveries: &'static [(&'static str, &'static str)],
    /// A call on the router of the host.
    pub(super) route: Option<&'static str>,
    /// What the test imports, and the lines that change `config`.
    pub(super) test: Option<(&'static str, &'static str)>,
    /// Variables of `.env`.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// A path of the module, and the body of a request that shows that the host works.
    pub(super) trial: Option<(&'static str, &'static str)>,
}

const PLAIN: Part = Part {
    feature: Feature::REGISTRATION,
    is_default: false,
    is_for_browsers: false,
    cargo_feature: None,
    imports: &[],
    record: None,
    repository: None,
    lines: &[],
    has_actions: false,
    actions: &[],
    deliveries: &[],
    route: None,
    test: None,
    variables: &[],
    trial: None,
};

/// The features, in the order of specification §4.1. Those that are missing need what only a host has.
pub(super) const PARTS: &[Part] = &[
    Part {
        feature: Feature::REGISTRATION,
        is_default: true,
        has_actions: true,
        trial: Some((
            "register",
            r#"{"name":"Ada","email":"ada@example.com","password":"correct horse","passwordConfirmation":"correct horse"}"#,
        )),
        ..PLAIN
    },
    Part {
        feature: Feature::RESET_PASSWORDS,
        is_default: true,
        has_actions: true,
        repository: Some(("password_reset_repo", "SqlPasswordResets")),
        deliveries: &[(
            "PasswordReset",
            r#"password_reset(format!("{site}/reset-password#token={{token}}&email={{email}}"))?"#,
        )],
        ..PLAIN
    },
    Part {
        feature: Feature::EMAIL_VERIFICATION,
        is_default: true,
        deliveries: &[
            (
                "EmailVerification",
                "email_verification(format!(\n    \"{site}/verify-email#id={{id}}&hash={{hash}}&signature={{signature}}&expires={{expires}}\"\n))?",
            ),
            // To verified addresses.
            ("Notices", "notices()"),
        ],
        ..PLAIN
    },
    Part { feature: Feature::UPDATE_PROFILE_INFORMATION, is_default: true, has_actions: true, ..PLAIN },
    Part { feature: Feature::UPDATE_PASSWORDS, is_default: true, has_actions: true, ..PLAIN },
    Part { feature: Feature::TWO_FACTOR_AUTHENTICATION, is_default: true, ..PLAIN },
    Part { feature: Feature::SESSIONS, is_default: true, ..PLAIN },
    Part { feature: Feature::BROWSER_SESSIONS, is_for_browsers: true, ..PLAIN },
    Part {
        feature: Feature::EMAIL_LOGIN,
        deliveries: &[("EmailLogin", r#"email_login(format!("{site}/login#token={{token}}"))?"#)],
        ..PLAIN
    },
    Part { feature: Feature::PASSWORDLESS_REGISTRATION, has_actions: true, ..PLAIN },
    Part {
        feature: Feature::CHANGE_EMAILS,
        deliveries: &[("EmailChange", r#"email_change(format!("{site}/{{page}}#token={{token}}"))?"#)],
        ..PLAIN
    },
    Part {
        feature: Feature::SECURITY_NOTICES,
        deliveries: &[("SecurityNotice", r#"security_notice(format!("{site}/secure#token={{token}}"))?"#)],
        ..PLAIN
    },
    Part {
        feature: Feature::DELETE_ACCOUNTS,
        imports: &["use axum_auth_module::actions::DeleteRecord;"],
        has_actions: true,
        repository: Some(("deletion_repo", "SqlDeletions")),
        actions: &[
            "// An action of your own, in place of this one, can also delete the user's rows in your other tables.",
            "DeletesUsers: DeleteRecord::new(users),",
        ],
        deliveries: &[("AccountDeletion", r#"account_deletion(format!("{site}/restore#token={{token}}"))?"#)],
        ..PLAIN
    },
    Part {
        feature: Feature::USERNAMES,
        record: Some(("    #[auth(username)]\n    username: Option<String>,\n", |database| match database {
            Database::Sqlite => {
                "ALTER TABLE users ADD COLUMN username TEXT;\nCREATE UNIQUE INDEX users_username ON users (username);"
            }
            Database::Postgres => "ALTER TABLE users ADD COLUMN username TEXT UNIQUE;",
            Database::MySql => "ALTER TABLE users ADD COLUMN username VARCHAR(32) UNIQUE;",
        })),
        ..PLAIN
    },
    Part {
        feature: Feature::PASSKEYS,
        cargo_feature: Some("passkeys"),
        repository: Some(("passkey_repo", "SqlPasskeys")),
        route: Some(".merge(auth.well_known())"),
        test: Some((
            "use axum_auth_module::config::RelyingParty;\n",
            "    let site = RelyingParty::new(\"localhost\", \"Test\", [\"http://localhost:3000\"]).unwrap();\n    let config = config.relying_party(site);\n",
        )),
        variables: &[("AUTH_PASSKEY_RP_ID", "localhost"), ("AUTH_PASSKEY_ORIGINS", "http://localhost:3000")],
        ..PLAIN
    },
    Part {
        feature: Feature::API_TOKENS,
        imports: &["use axum_auth_module::config::ApiScopes;"],
        repository: Some(("api_token_repo", "SqlApiTokens")),
        lines: &[
            "// What tokens can be allowed to do at your own routes.",
            r#"api_scopes: ApiScopes::new(["account:read"])?,"#,
        ],
        ..PLAIN
    },
    Part { feature: Feature::TRUSTED_DEVICES, ..PLAIN },
    Part {
        feature: Feature::INVITATIONS,
        deliveries: &[("Invitation", r#"invitation(format!("{site}/invitation#token={{token}}"))?"#)],
        ..PLAIN
    },
];
