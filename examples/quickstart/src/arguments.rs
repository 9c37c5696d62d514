//! The command line: `--help` prints the environment variables, and there are no other arguments.

use std::ffi::OsString;
use std::fmt::Write;

/// The variables that the quickstart reads: the name, the meaning and the default.
pub(crate) const VARIABLES: [(&str, &str, &str); 34] = [
    ("ADDR", "the address to listen on; port 0 selects a free one", "127.0.0.1:3000"),
    ("DATA_DIR", "the directory of the database, the secrets and the mails", "./quickstart-data"),
    ("DATABASE_URL", "another database: sqlite://…, postgres://… or mysql://…", "quickstart.db in DATA_DIR"),
    ("REDIS_URL", "the Redis with the attempt counters and used codes", "none: in the database"),
    ("SMTP_URL", "the mail server", "none: files in DATA_DIR/outbox"),
    ("MAIL_FROM", "the sender of the mails", "Quickstart <quickstart@localhost>"),
    (
        "PUBLIC_URL",
        "the beginning of the links in the mails",
        "http:// and the address that it listens on, with localhost for a loopback address",
    ),
    (
        "OUTBOX_TOKEN",
        "the word with which the page shows the mails: 8 or more ASCII letters, digits, `-` or `_`",
        "a random word at each start",
    ),
    (
        "ADMIN_TOKEN",
        "the bearer token of the routes below /admin: 8 or more ASCII characters",
        "none: no routes",
    ),
    (
        "SERVICE_KEY_PEM_FILE",
        "the file with the private key that signs tokens for other services: Ed25519 or P-256, PKCS#8, PEM",
        "service-key.pem in DATA_DIR, which is made",
    ),
    ("SERVICE_NEXT_KEY_PEM_FILE", "the key that will sign later, which is published already", "none"),
    ("SERVICE_PREVIOUS_KEY_PEM_FILE", "the key that has signed before, which is still published", "none"),
    (
        "OIDC_ISSUER",
        "a provider with OpenID Connect that people can sign in with; OIDC2_ISSUER and so on a second one",
        "none: in development a demonstration provider",
    ),
    ("OIDC_NAME", "its name in the routes: 1 to 32 lower-case letters, digits or `-`", "oidc"),
    ("OIDC_CLIENT_ID", "the client that you have registered there", "none: required with OIDC_ISSUER"),
    ("OIDC_CLIENT_SECRET", "its secret", "none: a public client"),
    (
        "OIDC_REDIRECT_URI",
        "where it sends people back to, comma-separated; the first is the default",
        "/web/auth/oauth/{name}/callback of the page",
    ),
    (
        "OIDC_TRUST",
        "what its word about an address is worth: `none`, `verified` or `authoritative`",
        "verified",
    ),
    (
        "OIDC_LINK_BY_EMAIL",
        "`verified`: an `authoritative` provider's identity is linked to the account with its address",
        "never",
    ),
    ("OIDC_ID_TOKEN_AUDIENCES", "the clients of apps whose ID tokens are accepted, comma-separated", "none"),
    ("GOOGLE_CLIENT_ID", "the client that you have registered at Google", "none"),
    ("GOOGLE_CLIENT_SECRET", "its secret", "none: required with GOOGLE_CLIENT_ID"),
    ("GITHUB_CLIENT_ID", "the OAuth app that you have registered at GitHub", "none"),
    ("GITHUB_CLIENT_SECRET", "its secret", "none: required with GITHUB_CLIENT_ID"),
    ("GITHUB_URL", "the address of a GitHub Enterprise Server", "https://github.com"),
    ("GITHUB_API_URL", "the address of its API", "https://api.github.com"),
    ("AUTH_FEATURES", "the enabled features, comma-separated; none when empty", "all"),
    ("AUTH_REFUSE_COMMON_PASSWORDS", "1: new passwords that are easy to guess are refused", "0"),
    (
        "AUTH_JWT_SECRET, AUTH_REFRESH_SECRET, AUTH_ENCRYPTION_KEY",
        "the three secrets; `openssl rand -base64 32` makes one",
        "DATA_DIR/secrets.env",
    ),
    ("AUTH_ALLOWED_ORIGINS", "origins of other front ends that may use the session cookie", "none"),
    ("AUTH_INSECURE_COOKIES", "1: cookies that work over plain HTTP, for development only", "0"),
    ("AUTH_PASSKEY_RP_ID", "the host of the pages that use passkeys, or a parent of it", "localhost"),
    (
        "AUTH_PASSKEY_ORIGINS",
        "the origins of the pages that use passkeys",
        "http://localhost: and the port that it listens on",
    ),
    ("AUTH_…", "every other option of the library, see docs/reference.md#options", "those of the library"),
];

/// What the arguments ask for.
pub(crate) enum Request {
    /// To serve: there are no arguments.
    Serve,
    /// To print this text and to exit.
    Help(String),
    /// To do something that the quickstart does not do. The text says so.
    Unknown(String),
}

/// What the arguments ask for. They do not include the name of the program.
pub(crate) fn request(arguments: impl IntoIterator<Item = OsString>) -> Request {
    let arguments: Vec<_> = arguments.into_iter().collect();
    match arguments.iter().find(|argument| *argument != "--help" && *argument != "-h") {
        _ if arguments.is_empty() => Request::Serve,
        None => Request::Help(help()),
        Some(unknown) => Request::Unknown(format!(
            "quickstart has no argument `{}`: environment variables change its settings, and `quickstart --help` lists them",
            unknown.display()
        )),
    }
}

fn help() -> String {
    let mut text =
        "The quickstart of axum-auth-module: a complete host, with a page that shows every feature.\n\n\
                    Usage: quickstart [--help]\n\n\
                    It needs no settings. Environment variables change them:\n"
            .to_owned();
    for (name, meaning, default) in VARIABLES {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {name}\n      {meaning}\n      default: {default}\n");
    }
    text
}
