//! The options of [`AuthConfig`](super::AuthConfig): one table, from which the fields, the defaults, the setters, the
//! environment variables and the list of options are generated (specification §5).

use super::{
    ApiTokenOptions, AuthConfigBuilder, BcryptImplementation, BrowserOptions, DeletionOptions,
    EmailChangeOptions, EmailLoginOptions, InvitationOptions, NoticeOptions, PasskeyOptions, PasswordHash,
    RateLimits, RelyingParty, ResetRemoves, SessionOptions, TrustedDeviceOptions, TwoFactorOptions,
    of_features, read, reserved_usernames,
};
use crate::clock::{Clock, SystemClock};
use crate::crypto::keys::Secret;
use crate::crypto::ring::KeyRing;
use ipnet::IpNet;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// An option of [`AuthConfig`](super::AuthConfig), as data. [`AuthConfig::options`](super::AuthConfig::options) has all.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConfigOption {
    /// The option's name: the setter of [`AuthConfigBuilder`], or the parameter of
    /// [`AuthConfig::builder`](super::AuthConfig::builder).
    pub name: &'static str,
    /// The environment variable that [`AuthConfig::from_env`](super::AuthConfig::from_env) reads, if there is one.
    pub variable: Option<&'static str>,
    /// The default, or `required`.
    pub default: &'static str,
    /// What the option means.
    pub description: &'static str,
}

/// What a variable's text does to the builder, or what is wrong with the text.
pub(super) type Apply = fn(AuthConfigBuilder, &str) -> Result<AuthConfigBuilder, String>;

/// How a variable of this kind is read.
macro_rules! apply {
    (string $name:ident) => {
        |builder, text| Ok(builder.$name(text))
    };
    (optional_string $name:ident) => {
        |builder, text| Ok(builder.$name(text))
    };
    (lifetime $name:ident) => {
        |builder, text| Ok(builder.$name(read::seconds(text)?))
    };
    (number $name:ident) => {
        |builder, text| Ok(builder.$name(read::number(text)?))
    };
    (networks $name:ident) => {
        |builder, text| Ok(builder.$name(read::networks(text)?))
    };
    (secret $name:ident) => {
        |builder, text| Ok(builder.$name(text))
    };
    (secrets $name:ident) => {
        |builder, text| Ok(builder.$name(read::list(text)))
    };
    (texts $name:ident) => {
        |builder, text| Ok(builder.$name(read::words(text)))
    };
    (notices $name:ident) => {
        |builder, text| Ok(builder.$name(read::notices(text)?))
    };
    (password_hash $name:ident) => {
        |builder, text| Ok(builder.$name(read::password_hash(text)?))
    };
}

/// The setter of an option of this kind.
macro_rules! setter {
    (string, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.settings.$name = $name.into();
            self
        }
    };
    (optional_string, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.settings.$name = Some($name.into());
            self
        }
    };
    (secret, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.settings.$name = Some(Secret::new($name.into().into_bytes()));
            self
        }
    };
    (secrets, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, secrets: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.settings.$name = secrets.into_iter().map(|text| Secret::new(text.into().into_bytes())).collect();
            self
        }
    };
    (texts, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.settings.$name = $name.into_iter().map(Into::into).collect();
            self
        }
    };
    (password_hash, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: PasswordHash) -> Self {
            self.settings.$name = Some($name);
            self
        }
    };
    (relying_party, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: RelyingParty) -> Self {
            self.settings.$name = Some($name);
            self
        }
    };
    (networks, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, networks: impl IntoIterator<Item = IpNet>) -> Self {
            self.settings.$name = networks.into_iter().collect();
            self
        }
    };
    (clock, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl Clock) -> Self {
            self.settings.$name = Arc::new($name);
            self
        }
    };
    ($kind:ident, $(#[$doc:meta])* $name:ident: $type:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.settings.$name = $name;
            self
        }
    };
}

/// Whether a duration of this kind must be at least one second.
macro_rules! lifetime {
    (lifetime $settings:ident $name:ident) => {
        Some((stringify!($name), $settings.$name))
    };
    ($kind:ident $settings:ident $name:ident) => {
        None
    };
}

/// Adds an option of this kind to a `Debug` output. Secrets and the clock are left out.
macro_rules! debug_field {
    (secret $output:ident $settings:ident $name:ident) => {};
    (secrets $output:ident $settings:ident $name:ident) => {};
    (clock $output:ident $settings:ident $name:ident) => {};
    ($kind:ident $output:ident $settings:ident $name:ident) => {
        $output.field(stringify!($name), &$settings.$name);
    };
}

/// A row is: kind, name, type, default, the default as the reference shows it, the environment variable if there is one,
/// and what the option means. Doc comments above a row are added to the setter's documentation.
macro_rules! options {
    ($($(#[$doc:meta])* $kind:ident $name:ident: $type:ty = $value:expr, $default:literal, $(env $variable:literal,)? $description:literal;)*) => {
        /// The values of an [`AuthConfig`](super::AuthConfig). The setters of [`AuthConfigBuilder`] document each option.
        #[derive(Clone)]
        pub struct Settings {
            pub(crate) jwt_secrets: KeyRing<Secret>,
            pub(crate) refresh_secrets: KeyRing<Secret>,
            $(pub(crate) $name: $type,)*
        }

        impl Settings {
            pub(super) fn new(jwt_secrets: KeyRing<Secret>, refresh_secrets: KeyRing<Secret>) -> Self {
                Self { jwt_secrets, refresh_secrets, $($name: $value,)* }
            }

            /// The durations that must be at least one second, with their names.
            pub(super) fn lifetimes(&self) -> impl Iterator<Item = (&'static str, Duration)> {
                [$(lifetime!($kind self $name)),*].into_iter().flatten()
            }
        }

        /// Every option but the secrets and the clock.
        impl fmt::Debug for Settings {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut output = f.debug_struct("AuthConfig");
                $(debug_field!($kind output self $name);)*
                output.finish_non_exhaustive()
            }
        }

        impl AuthConfigBuilder {
            $(setter!($kind, #[doc = concat!($description, ". Default: ", $default, ".")] #[doc = ""] $(#[$doc])* $name: $type);)*
        }

        /// The options that are not required.
        const OPTIONAL: &[ConfigOption] = &[$(ConfigOption {
            name: stringify!($name),
            variable: variable!($($variable)?),
            default: $default,
            description: $description,
        },)*];

        /// How each variable is applied.
        const VARIABLES: &[(&str, Apply)] = &[
            $($(($variable, apply!($kind $name)),)?)*
            ("AUTH_ALLOWED_ORIGINS", |builder, text| {
                let origins = read::list(text).filter(|origin| !origin.is_empty());
                let browser = builder.settings.browser.clone().allowed_origins(origins);
                Ok(builder.browser(browser))
            }),
            ("AUTH_INSECURE_COOKIES", |builder, text| {
                let browser = builder.settings.browser.clone().insecure(read::switch(text)?);
                Ok(builder.browser(browser))
            }),
            ("AUTH_LOGIN_PAGE", |builder, text| {
                let browser = builder.settings.browser.clone().login_page(text);
                Ok(builder.browser(browser))
            }),
            ("AUTH_TWO_FACTOR_PAGE", |builder, text| {
                let browser = builder.settings.browser.clone().two_factor_page(text);
                Ok(builder.browser(browser))
            }),
            ("AUTH_REGISTRATION_PAGE", |builder, text| {
                let browser = builder.settings.browser.clone().registration_page(text);
                Ok(builder.browser(browser))
            }),
            ("AUTH_PREVIOUS_JWT_SECRETS", |builder, text| Ok(builder.previous_jwt_secrets(read::list(text)))),
            ("AUTH_PREVIOUS_REFRESH_SECRETS", |builder, text| {
                Ok(builder.previous_refresh_secrets(read::list(text)))
            }),
            ("AUTH_PREVIOUS_ENCRYPTION_KEYS", |builder, text| {
                Ok(builder.previous_encryption_keys(read::list(text)))
            }),
        ];
    };
}

macro_rules! variable {
    () => {
        None
    };
    ($variable:literal) => {
        Some($variable)
    };
}

options! {
    string app_name: String = "auth".to_owned(), "`auth`", env "AUTH_APP_NAME",
        "The application's name, as authenticator apps show it";
    /// RFC 7519 §4.1.1. Once it is set, tokens without it are refused.
    optional_string issuer: Option<String> = None, "none", env "AUTH_ISSUER",
        "`iss` of access and refresh tokens";
    /// RFC 7519 §4.1.3. Once it is set, tokens without it are refused.
    optional_string audience: Option<String> = None, "none", env "AUTH_AUDIENCE",
        "`aud` of access and refresh tokens";
    /// [`ServiceKeys::issuer`](super::ServiceKeys::issuer) precedes it.
    optional_string service_issuer: Option<String> = None, "none", env "AUTH_SERVICE_ISSUER",
        "`iss` of the tokens of SERVICE_TOKENS: a URL";
    lifetime access_token_lifetime: Duration = Duration::from_secs(900), "900 s", env "AUTH_ACCESS_TOKEN_SECONDS",
        "The lifetime of an access token";
    /// A session in which nothing happens for this time ends.
    lifetime refresh_token_lifetime: Duration = Duration::from_secs(604_800), "604800 s (7 days)", env "AUTH_REFRESH_TOKEN_SECONDS",
        "The lifetime of a refresh token";
    lifetime session_lifetime: Duration = Duration::from_secs(2_592_000), "2592000 s (30 days)", env "AUTH_SESSION_SECONDS",
        "The lifetime of a session since its login, however often it is refreshed";
    /// It is for clients whose response was lost, and for tabs that refresh at the same time. With zero every second use
    /// ends the session.
    duration refresh_grace: Duration = Duration::from_secs(10), "10 s",
        "How long a refresh token that was used still works";
    lifetime password_timeout: Duration = Duration::from_secs(900), "900 s", env "AUTH_PASSWORD_TIMEOUT_SECONDS",
        "How long a password counts as recently confirmed";
    /// It is how often expired sessions are deleted, and accounts whose deletion is due.
    lifetime maintenance_interval: Duration = Duration::from_secs(600), "600 s", env "AUTH_MAINTENANCE_SECONDS",
        "How often the module cleans up while it serves requests, 1 s to 1 day";
    lifetime reset_token_lifetime: Duration = Duration::from_secs(3600), "3600 s", env "AUTH_RESET_TOKEN_SECONDS",
        "The lifetime of a reset token";
    lifetime verification_link_lifetime: Duration = Duration::from_secs(3600), "3600 s", env "AUTH_VERIFICATION_LINK_SECONDS",
        "The lifetime of a verification link";
    options sessions: SessionOptions = SessionOptions::default(), "see below",
        "How sessions are kept";
    options browser: BrowserOptions = BrowserOptions::default(), "see below",
        "The cookies of browser sessions, and the origins that may use them";
    options two_factor: TwoFactorOptions = TwoFactorOptions::default(), "see below",
        "How two-factor authentication behaves";
    options email_login: EmailLoginOptions = EmailLoginOptions::default(), "see below",
        "How sign-in by mail behaves";
    options passkeys: PasskeyOptions = PasskeyOptions::default(), "see below",
        "How passkeys behave";
    relying_party relying_party: Option<RelyingParty> = None, "none",
        "The site of passkeys; PASSKEYS needs it";
    options reset_removes: ResetRemoves = ResetRemoves::default(), "see below",
        "What a reset by mail removes beside the password";
    options email_change: EmailChangeOptions = EmailChangeOptions::default(), "see below",
        "How an address is changed, and for how long that can be undone";
    options deletion: DeletionOptions = DeletionOptions::default(), "see below",
        "For how long a deleted account can be restored";
    options api_tokens: ApiTokenOptions = ApiTokenOptions::default(), "see below",
        "How long API tokens are valid, and what their text begins with";
    options trusted_devices: TrustedDeviceOptions = TrustedDeviceOptions::default(), "see below",
        "For how long devices are trusted";
    options invitations: InvitationOptions = InvitationOptions::default(), "see below",
        "For how long invitations can be accepted, and what their mail has";
    texts reserved_usernames: Vec<String> = reserved_usernames::default(), "`admin`, `administrator`, `root`, `support`, `security`, `help`, `info`, `postmaster`, `webmaster`, `abuse`", env "AUTH_RESERVED_USERNAMES",
        "The user names that nobody can choose, comma-separated";
    notices notices: NoticeOptions = NoticeOptions::default(), "none", env "AUTH_NOTICES_OFF",
        "The kinds of security notices that are not sent, comma-separated, such as `new-sign-in`";
    /// ASVS 6.2.1.
    number password_min_characters: usize = 8, "8", env "AUTH_PASSWORD_MIN_CHARACTERS",
        "The least length of a new password in characters, 8 to 64";
    /// A stored hash of another kind, or with other parameters, is replaced at its user's next login. While this option is not
    /// set, a stored hash of Argon2 is the exception: it stays, or is replaced by Argon2id if it has other parameters. Another
    /// program that verifies the hashes of the table may not know bcrypt.
    password_hash password_hash: Option<PasswordHash> = None, "`bcrypt`", env "AUTH_PASSWORD_HASH",
        "The algorithm of new password hashes: `bcrypt`, or `argon2id` (cargo feature `argon2`)";
    /// A hash of another cost is replaced at its user's next login. A hash that is more than four steps more expensive than
    /// this is not verified at all, because it would occupy a thread for minutes; its user must reset the password.
    ///
    /// If you lower the cost, every login takes the work of the higher cost from the first login with an old hash until the
    /// process ends: otherwise its time would tell which accounts exist.
    number bcrypt_cost: u32 = 12, "12", env "AUTH_BCRYPT_COST",
        "The cost of password hashes, 10 to 16; each step doubles the work";
    value bcrypt_implementation: BcryptImplementation = BcryptImplementation::Interleaved, "`Interleaved`",
        "What computes password hashes: four at once on each thread, or the crate `bcrypt` one after the other";
    /// RFC 9106 §3.1 calls it `m`. `argon2_memory` and `argon2_iterations` together must not be weaker than one of these, which
    /// OWASP recommends: 47104 KiB and 1 pass, 19456 and 2, 12288 and 3, 9216 and 4, 7168 and 5.
    number argon2_memory: u32 = 19_456, "19456 KiB", env "AUTH_ARGON2_MEMORY_KIB",
        "The memory of an Argon2id hash in KiB, 7168 to 1048576 and at most `password_memory`";
    /// RFC 9106 §3.1 calls it `t`.
    number argon2_iterations: u32 = 2, "2", env "AUTH_ARGON2_ITERATIONS",
        "How many passes an Argon2id hash makes over its memory, 1 to 16";
    /// RFC 9106 §3.1 calls it `p`. The library computes all lanes on one thread: more of them make a hash no faster.
    number argon2_parallelism: u32 = 1, "1", env "AUTH_ARGON2_PARALLELISM",
        "How many lanes the memory of an Argon2id hash has, 1 to 16";
    /// All password threads together use at most this much for each of them. A stored hash that needs more is not verified at
    /// all; its user must reset the password.
    number password_memory: u32 = 131_072, "131072 KiB (128 MiB)", env "AUTH_PASSWORD_MEMORY_KIB",
        "The most memory in KiB that a thread uses for one password, 1024 to 4194304";
    /// Somebody who has copied the table of users, but not the pepper, cannot try passwords on it; NIST SP 800-63B-4 §3.1.1.2
    /// recommends it. It must differ from all other secrets. Keep it apart from the database, and do not lose it: without it no
    /// password matches the hashes that were made with it. A hash without it is replaced at its user's next login.
    /// `docs/operations.md` says how to replace or remove it.
    secret password_pepper: Option<Secret> = None, "none", env "AUTH_PASSWORD_PEPPER",
        "A secret that is mixed into each password before it is hashed; at least 32 bytes";
    /// A hash that was made with one of them is replaced at its user's next login.
    secrets previous_password_peppers: Vec<Secret> = Vec::new(), "none", env "AUTH_PREVIOUS_PASSWORD_PEPPERS",
        "Peppers with which stored hashes were made, comma-separated; new ones are not made with them";
    value password_threads: NonZeroUsize = threads(), "one for each core",
        "How many threads hash passwords";
    value password_queue: usize = 64 * threads().get(), "64 for each core",
        "How many hashes may wait for a thread, at most a quarter of them of one client; more are refused with 503";
    value body_limit: usize = 64 * 1024, "65536 bytes",
        "The maximum length of a request body";
    /// This includes the host's adapters and the time in which the client sends the body.
    lifetime request_timeout: Duration = Duration::from_secs(20), "20 s",
        "The maximum duration of a request; after that it is refused with 503";
    /// A request that needs the store is refused with 503 when an operation takes longer. Requests with a valid access token
    /// do not need it.
    duration store_timeout: Duration = Duration::from_secs(1), "1 s",
        "The maximum duration of an operation of the store, at most `request_timeout`";
    /// The address receives reset tokens, so whoever changes it with a stolen session gets the account. The request must be made
    /// within `password_timeout` after `POST /user/confirm-password`, otherwise it is 403 `password_confirmation_required`.
    value confirm_email_change: bool = false, "false",
        "Whether changing the e-mail address requires a recent password confirmation (ASVS 7.5.1)";
    /// Without it the header is ignored, and the client is the peer.
    networks trusted_proxies: Vec<IpNet> = Vec::new(), "none", env "AUTH_TRUSTED_PROXIES",
        "Addresses and networks whose `X-Forwarded-For` is trusted, comma-separated";
    options limits: RateLimits = RateLimits::default(), "see below",
        "The rate limits";
    clock clock: Arc<dyn Clock> = Arc::new(SystemClock), "the system's",
        "The source of the time";
}

/// The parameters of [`AuthConfig::builder`](super::AuthConfig::builder).
pub(super) const REQUIRED: [ConfigOption; 3] = [
    ConfigOption {
        name: "jwt_secret",
        variable: Some("AUTH_JWT_SECRET"),
        default: "required",
        description: "Signs access tokens; at least 32 bytes",
    },
    ConfigOption {
        name: "refresh_secret",
        variable: Some("AUTH_REFRESH_SECRET"),
        default: "required",
        description: "Signs refresh tokens; at least 32 bytes, different from `jwt_secret`",
    },
    ConfigOption {
        name: "encryption_key",
        variable: Some("AUTH_ENCRYPTION_KEY"),
        default: "required",
        description: "Encrypts two-factor secrets and recovery codes; 32 bytes in base64",
    },
];

/// The options of browser sessions that have a variable.
const BROWSER: [ConfigOption; 5] = [
    ConfigOption {
        name: "browser.allowed_origins",
        variable: Some("AUTH_ALLOWED_ORIGINS"),
        default: "none",
        description: "Other origins whose pages may send requests with the session cookie, comma-separated",
    },
    ConfigOption {
        name: "browser.insecure_for_development",
        variable: Some("AUTH_INSECURE_COOKIES"),
        default: "0",
        description: "`1`: cookies that work without TLS, only for development",
    },
    ConfigOption {
        name: "browser.login_page",
        variable: Some("AUTH_LOGIN_PAGE"),
        default: "/login",
        description: "The host's login page, to which a browser returns from a provider that has not signed its user in",
    },
    ConfigOption {
        name: "browser.two_factor_page",
        variable: Some("AUTH_TWO_FACTOR_PAGE"),
        default: "/two-factor",
        description: "The host's page for the second factor, to which a browser returns from a provider",
    },
    ConfigOption {
        name: "browser.registration_page",
        variable: Some("AUTH_REGISTRATION_PAGE"),
        default: "/register",
        description: "The host's page that completes a registration which has begun with a provider",
    },
];

/// The setters of [`AuthConfigBuilder`] that take previous secrets and keys.
const PREVIOUS: [ConfigOption; 3] = [
    ConfigOption {
        name: "previous_jwt_secrets",
        variable: Some("AUTH_PREVIOUS_JWT_SECRETS"),
        default: "none",
        description: "Accepted like `jwt_secret`, but never used to sign; at most two, comma-separated",
    },
    ConfigOption {
        name: "previous_refresh_secrets",
        variable: Some("AUTH_PREVIOUS_REFRESH_SECRETS"),
        default: "none",
        description: "Accepted like `refresh_secret`, but never used to sign; at most two, comma-separated",
    },
    ConfigOption {
        name: "previous_encryption_keys",
        variable: Some("AUTH_PREVIOUS_ENCRYPTION_KEYS"),
        default: "none",
        description: "Previous encryption keys, comma-separated; values encrypted with them can still be read",
    },
];

/// How each variable is applied.
pub(super) fn variables() -> impl Iterator<Item = (&'static str, Apply)> {
    VARIABLES.iter().copied().chain(of_features::variables())
}

/// All options, the required ones first.
pub(super) fn options() -> impl Iterator<Item = &'static ConfigOption> {
    REQUIRED.iter().chain(OPTIONAL).chain(&BROWSER).chain(of_features::all()).chain(&PREVIOUS)
}

fn threads() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
