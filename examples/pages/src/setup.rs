//! What the site needs to start: everything is in one data directory, and nothing has to be configured.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `ADDR` | where to listen; port 0 picks a free one | `127.0.0.1:3000` |
//! | `DATA_DIR` | the directory of the database, the secrets and the mails | `./pages-data` |
//! | `PUBLIC_URL` | what the links in the mails begin with | the address that is listened on |
//! | `SMTP_URL`, `MAIL_FROM` | the server that takes the mails, see `Mailer::smtp`, and their sender | mails are files |
//! | `AUTH_PASSKEY_RP_ID`, `AUTH_PASSKEY_ORIGINS` | the site of the passkeys | that of `PUBLIC_URL` |
//! | `GOOGLE_…`, `GITHUB_…`, `OIDC_…` | the providers, see `providers.rs` | none |
//! | `AUTH_…` | the module's own, see `AuthConfig::environment_variables` | those of the library |

use crate::providers::Providers;
use axum::http::Uri;
use axum_auth_module::mail::Mailer;
use axum_auth_module::{AuthConfig, BoxError, sql};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use std::env;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;

/// What a site starts with.
pub(crate) struct Setup {
    pub(crate) listener: TcpListener,
    /// What the links in mails begin with: `http://localhost:3000`.
    pub(crate) public_url: String,
    pub(crate) config: AuthConfig,
    pub(crate) database: SqlitePool,
    pub(crate) mailer: Mailer,
    pub(crate) providers: Providers,
}

impl Setup {
    /// Reads the environment, and creates what is missing in the data directory.
    pub(crate) async fn from_env() -> Result<Self, BoxError> {
        let directory = data_directory()?;
        let listener = TcpListener::bind(variable("ADDR").as_deref().unwrap_or("127.0.0.1:3000")).await?;
        let public_url = match variable("PUBLIC_URL") {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => own_url(listener.local_addr()?),
        };
        let secrets = secrets(&directory.join("secrets.env"))?;
        let secret =
            |name: &str| secrets.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        // A link in a mail works only where a script hands over what the browser keeps, so the mails to log in have a code alone.
        let (site, origin) = passkeys_of(&public_url, listener.local_addr()?);
        let default = |name: &str| match name {
            "AUTH_EMAIL_LOGIN_PROOF" => Some("code".to_owned()),
            // Where the callback of a provider leads to.
            "AUTH_TWO_FACTOR_PAGE" => Some("/two-factor-challenge".to_owned()),
            "AUTH_REGISTRATION_PAGE" => Some("/register-with-provider".to_owned()),
            "AUTH_PASSKEY_RP_ID" => Some(site.clone()),
            "AUTH_PASSKEY_ORIGINS" => Some(origin.clone()),
            _ => None,
        };
        let config = AuthConfig::from_variables(|name| {
            variable(name).or_else(|| secret(name)).or_else(|| default(name))
        })?;
        Ok(Self {
            database: database(&directory.join("pages.db")).await?,
            mailer: mailer(directory.join("outbox"))?,
            providers: Providers::read(variable, &public_url)?,
            listener,
            public_url,
            config,
        })
    }
}

/// A variable's value. An empty value counts as unset.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The data directory, readable only by this user: it has password hashes.
fn data_directory() -> io::Result<PathBuf> {
    let path = PathBuf::from(env::var_os("DATA_DIR").unwrap_or_else(|| "pages-data".into()));
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(&path)?;
    Ok(path)
}

/// On this machine the site is at `localhost`, because cookies belong to a host: a link to `127.0.0.1` would lead to a
/// visitor who is not logged in there.
fn own_url(address: SocketAddr) -> String {
    match address.ip().is_loopback() {
        true => format!("http://localhost:{}", address.port()),
        false => format!("http://{address}"),
    }
}

/// The site of the passkeys and the origin of its pages: those of the links in the mails. Browsers have no passkeys for an IP address, so
/// the site is then `localhost`.
fn passkeys_of(public_url: &str, address: SocketAddr) -> (String, String) {
    let uri = public_url.parse::<Uri>().unwrap_or_default();
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme), Some(at)) if at.host().parse::<IpAddr>().is_err() && !at.host().starts_with('[') => {
            (at.host().to_owned(), format!("{scheme}://{at}"))
        }
        _ => ("localhost".to_owned(), format!("http://localhost:{}", address.port())),
    }
}

async fn database(path: &Path) -> Result<SqlitePool, BoxError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        // Readers do not wait for the writer.
        .journal_mode(SqliteJournalMode::Wal);
    let pool = SqlitePool::connect_with(options).await?;
    sql::migrate(&pool).await?;
    sqlx::migrate!().run(&pool).await?;
    Ok(pool)
}

fn mailer(outbox: PathBuf) -> Result<Mailer, BoxError> {
    let from = variable("MAIL_FROM").unwrap_or_else(|| "Pages <pages@localhost>".to_owned());
    let mailer = match variable("SMTP_URL") {
        Some(url) => Mailer::smtp(url, from),
        None => {
            tracing::info!("mails are files in {}", outbox.display());
            Mailer::files(outbox, from)
        }
    };
    Ok(mailer.build()?)
}

/// The module's three secrets, generated once. In production, set them in the environment.
fn secrets(path: &Path) -> io::Result<Vec<(String, String)>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => generate_secrets(path)?,
        read => read?,
    };
    let pair = |(name, secret): (&str, &str)| (name.to_owned(), secret.to_owned());
    Ok(text.lines().filter_map(|line| line.split_once('=')).map(pair).collect())
}

fn generate_secrets(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    for name in ["AUTH_JWT_SECRET", "AUTH_REFRESH_SECRET", "AUTH_ENCRYPTION_KEY"] {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        text += &format!("{name}={}\n", STANDARD.encode(bytes));
    }
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)?.write_all(text.as_bytes())?;
    Ok(text)
}
