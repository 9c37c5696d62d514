//! The options of features that are parts of another option and have a variable of their own.

use super::options::Apply;
use super::{
    ApiTokenOptions, ConfigOption, DeletionOptions, EmailChangeOptions, EmailLoginOptions, InvitationOptions,
    PasskeyOptions, TrustedDeviceOptions, read,
};

/// Such an option, and how its variable is applied.
struct OfFeature {
    option: ConfigOption,
    apply: Apply,
}

/// All of them.
pub(super) fn all() -> impl Iterator<Item = &'static ConfigOption> {
    rows().map(|row| &row.option)
}

/// How each variable is applied.
pub(super) fn variables() -> impl Iterator<Item = (&'static str, Apply)> {
    rows().filter_map(|row| Some((row.option.variable?, row.apply)))
}

fn rows() -> impl Iterator<Item = &'static OfFeature> {
    EMAIL_LOGIN
        .iter()
        .chain(&PASSKEYS)
        .chain(&RESETS)
        .chain(&EMAIL_CHANGE)
        .chain(&DELETION)
        .chain(&API_TOKENS)
        .chain(&TRUSTED_DEVICES)
        .chain(&INVITATIONS)
}

const fn row(
    name: &'static str,
    variable: &'static str,
    default: &'static str,
    description: &'static str,
    apply: Apply,
) -> OfFeature {
    OfFeature { option: ConfigOption { name, variable: Some(variable), default, description }, apply }
}

/// The options of sign-in by mail that have a variable.
static EMAIL_LOGIN: [OfFeature; 3] = [
    row(
        "email_login.digits",
        "AUTH_EMAIL_LOGIN_DIGITS",
        "8",
        "How many digits a code in a mail has, 6 to 10",
        |builder, text| {
            let digits = read::number(text)?;
            let options = EmailLoginOptions { digits, ..builder.settings.email_login };
            Ok(builder.email_login(options))
        },
    ),
    row(
        "email_login.lifetime",
        "AUTH_EMAIL_LOGIN_SECONDS",
        "600 s",
        "How long a code and a link in a mail are valid, 60 to 1800 seconds",
        |builder, text| {
            let lifetime = read::seconds(text)?;
            let options = EmailLoginOptions { lifetime, ..builder.settings.email_login };
            Ok(builder.email_login(options))
        },
    ),
    row(
        "email_login.proof",
        "AUTH_EMAIL_LOGIN_PROOF",
        "`both`",
        "What a mail to sign in has: `both`, a `code`, or a `link`",
        |builder, text| {
            let proof = read::email_login_proof(text)?;
            let options = EmailLoginOptions { proof, ..builder.settings.email_login };
            Ok(builder.email_login(options))
        },
    ),
];

/// The options of passkeys that have a variable.
static PASSKEYS: [OfFeature; 6] = [
    row(
        "relying_party.id",
        "AUTH_PASSKEY_RP_ID",
        "none",
        "The id of the relying party of passkeys: the host of the pages, or a parent of it",
        |builder, text| Ok(builder.site(|site| site.id = Some(text.to_owned()))),
    ),
    row(
        "relying_party.name",
        "AUTH_PASSKEY_RP_NAME",
        "`app_name`",
        "The name of the relying party, which browsers can show",
        |builder, text| Ok(builder.site(|site| site.name = Some(text.to_owned()))),
    ),
    row(
        "relying_party.origins",
        "AUTH_PASSKEY_ORIGINS",
        "none",
        "The origins of the pages that may use passkeys, comma-separated, and `android:apk-key-hash:…` of apps",
        |builder, text| Ok(builder.site(|site| site.origins = read::words(text))),
    ),
    row(
        "relying_party.related_origins",
        "AUTH_PASSKEY_RELATED_ORIGINS",
        "none",
        "The origins of pages of other sites that may use them, comma-separated",
        |builder, text| Ok(builder.site(|site| site.related = read::words(text))),
    ),
    row(
        "passkeys.user_verification",
        "AUTH_PASSKEY_USER_VERIFICATION",
        "`required`",
        "Whether the authenticator of a passkey must verify its user: `required` or `preferred`",
        |builder, text| {
            let user_verification = read::user_verification(text)?;
            let options = PasskeyOptions { user_verification, ..builder.settings.passkeys };
            Ok(builder.passkeys(options))
        },
    ),
    row(
        "passkeys.max_per_user",
        "AUTH_PASSKEYS_PER_USER",
        "20",
        "How many passkeys a user can have, 1 to 100",
        |builder, text| {
            let max_per_user = read::number(text)?;
            let options = PasskeyOptions { max_per_user, ..builder.settings.passkeys };
            Ok(builder.passkeys(options))
        },
    ),
];

/// The option of resets.
static RESETS: [OfFeature; 1] = [row(
    "reset_removes",
    "AUTH_RESET_REMOVES",
    "nothing",
    "What a reset by mail removes beside the password, comma-separated: `passkeys`, `identities`",
    |builder, text| Ok(builder.reset_removes(read::reset_removes(text)?)),
)];

/// The options of changes of the address.
static EMAIL_CHANGE: [OfFeature; 2] = [
    row(
        "email_change.lifetime",
        "AUTH_EMAIL_CHANGE_SECONDS",
        "86400 s (24 hours)",
        "How long the link is valid that confirms a new address, 600 s to 7 days",
        |builder, text| {
            let lifetime = read::seconds(text)?;
            let options = EmailChangeOptions { lifetime, ..builder.settings.email_change };
            Ok(builder.email_change(options))
        },
    ),
    row(
        "email_change.revert_lifetime",
        "AUTH_EMAIL_REVERT_SECONDS",
        "604800 s (7 days)",
        "For how long the previous address can take the account back, 1 to 30 days, or 0: never",
        |builder, text| {
            let revert_lifetime = read::seconds(text)?;
            let options = EmailChangeOptions { revert_lifetime, ..builder.settings.email_change };
            Ok(builder.email_change(options))
        },
    ),
];

/// The option of deletions.
static DELETION: [OfFeature; 1] = [row(
    "deletion.grace",
    "AUTH_DELETION_GRACE_SECONDS",
    "1209600 s (14 days)",
    "For how long a user can restore an account whose deletion was scheduled, 0 to 90 days",
    |builder, text| {
        let grace = read::seconds(text)?;
        Ok(builder.deletion(DeletionOptions { grace }))
    },
)];

/// The options of API tokens that have a variable.
static API_TOKENS: [OfFeature; 2] = [
    row(
        "api_tokens.lifetime",
        "AUTH_API_TOKEN_SECONDS",
        "7776000 s (90 days)",
        "The lifetime of an API token that is created without `expiresIn`, one second to `api_tokens.max_lifetime`, which is 366 days",
        |builder, text| {
            let lifetime = read::seconds(text)?;
            let options = ApiTokenOptions { lifetime, ..builder.settings.api_tokens.clone() };
            Ok(builder.api_tokens(options))
        },
    ),
    row(
        "api_tokens.prefix",
        "AUTH_API_TOKEN_PREFIX",
        "`pat`",
        "What the text of an API token begins with: up to 16 lower-case letters, digits and `_`",
        |builder, text| {
            let options = ApiTokenOptions { prefix: text.to_owned(), ..builder.settings.api_tokens.clone() };
            Ok(builder.api_tokens(options))
        },
    ),
];

/// The option of trusted devices.
static TRUSTED_DEVICES: [OfFeature; 1] = [row(
    "trusted_devices.lifetime",
    "AUTH_TRUSTED_DEVICE_SECONDS",
    "2592000 s (30 days)",
    "For how long a device is trusted after the second factor was proven on it, 1 to 90 days",
    |builder, text| {
        let lifetime = read::seconds(text)?;
        Ok(builder.trusted_devices(TrustedDeviceOptions { lifetime }))
    },
)];

/// The options of invitations.
static INVITATIONS: [OfFeature; 2] = [
    row(
        "invitations.lifetime",
        "AUTH_INVITATION_SECONDS",
        "604800 s (7 days)",
        "For how long an invitation can be accepted, 1 hour to 30 days",
        |builder, text| {
            let lifetime = read::seconds(text)?;
            let options = InvitationOptions { lifetime, ..builder.settings.invitations };
            Ok(builder.invitations(options))
        },
    ),
    row(
        "invitations.sign_in_by_mail",
        "AUTH_INVITATIONS_BY_MAIL",
        "`0`",
        "Whether the mail of an invitation has no token and leads to the login page: `1` or `0`",
        |builder, text| {
            let sign_in_by_mail = read::switch(text)?;
            let options = InvitationOptions { sign_in_by_mail, ..builder.settings.invitations };
            Ok(builder.invitations(options))
        },
    ),
];
