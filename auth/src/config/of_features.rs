//! The options of features that are parts of another option and have a variable of their own.

use super::ConfigOption;

/// All of them.
pub(super) fn all() -> impl Iterator<Item = &'static ConfigOption> {
    EMAIL_LOGIN.iter().chain(&PASSKEYS).chain(&RESETS).chain(&EMAIL_CHANGE)
}

/// The options of sign-in by mail that have a variable.
const EMAIL_LOGIN: [ConfigOption; 3] = [
    ConfigOption {
        name: "email_login.digits",
        variable: Some("AUTH_EMAIL_LOGIN_DIGITS"),
        default: "8",
        description: "How many digits a code in a mail has, 6 to 10",
    },
    ConfigOption {
        name: "email_login.lifetime",
        variable: Some("AUTH_EMAIL_LOGIN_SECONDS"),
        default: "600 s",
        description: "How long a code and a link in a mail are valid, 60 to 1800 seconds",
    },
    ConfigOption {
        name: "email_login.proof",
        variable: Some("AUTH_EMAIL_LOGIN_PROOF"),
        default: "`both`",
        description: "What a mail to sign in has: `both`, a `code`, or a `link`",
    },
];

/// The options of passkeys that have a variable.
const PASSKEYS: [ConfigOption; 6] = [
    ConfigOption {
        name: "relying_party.id",
        variable: Some("AUTH_PASSKEY_RP_ID"),
        default: "none",
        description: "The id of the relying party of passkeys: the host of the pages, or a parent of it",
    },
    ConfigOption {
        name: "relying_party.name",
        variable: Some("AUTH_PASSKEY_RP_NAME"),
        default: "`app_name`",
        description: "The name of the relying party, which browsers can show",
    },
    ConfigOption {
        name: "relying_party.origins",
        variable: Some("AUTH_PASSKEY_ORIGINS"),
        default: "none",
        description: "The origins of the pages that may use passkeys, comma-separated, and `android:apk-key-hash:…` of apps",
    },
    ConfigOption {
        name: "relying_party.related_origins",
        variable: Some("AUTH_PASSKEY_RELATED_ORIGINS"),
        default: "none",
        description: "The origins of pages of other sites that may use them, comma-separated",
    },
    ConfigOption {
        name: "passkeys.user_verification",
        variable: Some("AUTH_PASSKEY_USER_VERIFICATION"),
        default: "`required`",
        description: "Whether the authenticator of a passkey must verify its user: `required` or `preferred`",
    },
    ConfigOption {
        name: "passkeys.max_per_user",
        variable: Some("AUTH_PASSKEYS_PER_USER"),
        default: "20",
        description: "How many passkeys a user can have, 1 to 100",
    },
];

/// The option of resets.
const RESETS: [ConfigOption; 1] = [ConfigOption {
    name: "reset_removes",
    variable: Some("AUTH_RESET_REMOVES"),
    default: "nothing",
    description: "What a reset by mail removes beside the password, comma-separated: `passkeys`, `identities`",
}];

/// The options of changes of the address.
const EMAIL_CHANGE: [ConfigOption; 2] = [
    ConfigOption {
        name: "email_change.lifetime",
        variable: Some("AUTH_EMAIL_CHANGE_SECONDS"),
        default: "86400 s (24 hours)",
        description: "How long the link is valid that confirms a new address, 600 s to 7 days",
    },
    ConfigOption {
        name: "email_change.revert_lifetime",
        variable: Some("AUTH_EMAIL_REVERT_SECONDS"),
        default: "604800 s (7 days)",
        description: "For how long the previous address can take the account back, 1 to 30 days, or 0: never",
    },
];
