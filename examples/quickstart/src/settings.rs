//! The environment variables, read once. `arguments.rs` has the list with meanings and defaults.

use crate::admin::AdminToken;
use crate::data_dir::DataDir;
use crate::database::Url;
use crate::demo_provider::{self, DemoProvider};
use crate::mail::{self, Mails};
use crate::outbox::is_development;
use crate::problems::Problems;
use crate::providers::Providers;
use crate::secrets::Secrets;
use crate::service_keys;
use axum::http::Uri;
use axum_auth_module::AuthConfig;
use axum_auth_module::config::ServiceKeys;
use axum_auth_module::feature::{FeatureSet, UnknownFeature};
use axum_auth_module::policy::CommonPasswords;
use axum_auth_module::store::EphemeralStore;
#[cfg(feature = "redis")]
use axum_auth_module::store::{InvalidRedisUrl, RedisStore};
use std::env::{self, VarError};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;

/// A configuration that the quickstart can start with.
pub(crate) struct Settings {
    /// Already bound, so that an address in use is reported with the other errors, and the links have the port.
    pub(crate) listener: TcpListener,
    pub(crate) data_dir: DataDir,
    /// A database outside of the data directory.
    pub(crate) database: Option<Url>,
    /// The store, if it is not in the database.
    pub(crate) redis: Option<Arc<dyn EphemeralStore>>,
    pub(crate) mails: Mails,
    /// `None`: all that the module lists.
    pub(crate) features: Option<FeatureSet>,
    /// `None`: every password that is long enough is allowed.
    pub(crate) policy: Option<CommonPasswords>,
    pub(crate) auth: AuthConfig,
    /// What opens the routes of the administrators. `None`: nothing.
    pub(crate) admin_token: Option<AdminToken>,
    /// What signs tokens for other services.
    pub(crate) service_keys: ServiceKeys,
    /// Where the page is, as links in mails and providers know it: `http://localhost:3000`.
    pub(crate) page: String,
    /// The providers of the environment.
    pub(crate) providers: Providers,
    /// A provider of the quickstart's own, in development.
    pub(crate) demo_provider: Option<DemoProvider>,
}

impl Settings {
    /// Reads the environment, binds the address, and creates the data directory and the secrets if they are missing.
    ///
    /// # Errors
    /// All errors at once.
    pub(crate) async fn from_env() -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let listener = problems.take(listener().await);
        let data_dir = problems.take(data_dir());
        let database = problems.take(database());
        let redis = problems.take(redis());
        let page = problems.take(page(listener.as_ref()));
        // The start fails anyway. With this placeholder the other errors are found, too.
        let site = page.clone().unwrap_or_else(|| "http://localhost".to_owned());
        let mails = problems.take(mail::mails(data_dir.as_ref(), listener.as_ref(), &site));
        let features = problems.take(features());
        let policy = problems.take(policy());
        let admin_token = problems.take(AdminToken::from_env());
        let auth = problems.take(auth(data_dir.as_ref(), listener.as_ref(), &site));
        let service_keys = problems.take(service_keys::keys(data_dir.as_ref()));
        let providers = problems.take(providers(&site));
        let demo_provider = problems.take(demo_provider(listener.as_ref(), &site, providers.as_ref()));
        match (
            listener,
            data_dir,
            database,
            redis,
            (mails, page),
            (features, policy, admin_token, service_keys),
            (auth, providers, demo_provider),
        ) {
            (
                Some(listener),
                Some(data_dir),
                Some(database),
                Some(redis),
                (Some(mails), Some(page)),
                (Some(features), Some(policy), Some(admin_token), Some(service_keys)),
                (Some(auth), Some(providers), Some(demo_provider)),
            ) => Ok(Self {
                listener,
                data_dir,
                database,
                redis,
                mails,
                features,
                policy,
                auth,
                admin_token,
                service_keys,
                page,
                providers,
                demo_provider,
            }),
            _ => Err(problems),
        }
    }
}

/// A variable's value. An empty value counts as unset, as in the library.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

async fn listener() -> Result<TcpListener, Problems> {
    let expected = |_| Problems::one("ADDR", "expected an IP address and a port, as in `127.0.0.1:3000`");
    let default = || SocketAddr::from((Ipv4Addr::LOCALHOST, 3000));
    let addr = variable("ADDR").map_or_else(|| Ok(default()), |text| text.parse().map_err(expected))?;
    let cannot = |error| Problems::one("ADDR", format!("could not listen on {addr}: {error}"));
    let listener = TcpListener::bind(addr).await.map_err(cannot)?;
    let has_tls = variable("PUBLIC_URL").is_some_and(|url| url.starts_with("https://"));
    if !addr.ip().is_loopback() && !has_tls && variable("AUTH_INSECURE_COOKIES").is_none() {
        tracing::warn!(
            "browsers keep the session cookie over HTTPS and from localhost only; AUTH_INSECURE_COOKIES=1 is for \
             trying the page over plain HTTP"
        );
    }
    Ok(listener)
}

fn data_dir() -> Result<DataDir, Problems> {
    // A path need not be Unicode, so this variable is not read as a string.
    let path = env::var_os("DATA_DIR").filter(|path| !path.is_empty());
    DataDir::make(path.unwrap_or_else(|| "quickstart-data".into()).into())
        .map_err(|error| Problems::one("DATA_DIR", format!("cannot be made or written: {error}")))
}

fn database() -> Result<Option<Url>, Problems> {
    let expected = |expected| Problems::one("DATABASE_URL", expected);
    variable("DATABASE_URL").map(|url| url.parse().map_err(expected)).transpose()
}

/// Does not connect: the quickstart starts without Redis, and requests that need it are 503 until it is there.
#[cfg(feature = "redis")]
fn redis() -> Result<Option<Arc<dyn EphemeralStore>>, Problems> {
    let invalid = |error: InvalidRedisUrl| Problems::one("REDIS_URL", error.to_string());
    let Some(url) = variable("REDIS_URL") else { return Ok(None) };
    Ok(Some(Arc::new(RedisStore::connect(&url).map_err(invalid)?)))
}

#[cfg(not(feature = "redis"))]
fn redis() -> Result<Option<Arc<dyn EphemeralStore>>, Problems> {
    match variable("REDIS_URL") {
        None => Ok(None),
        Some(_) => Err(Problems::one(
            "REDIS_URL",
            "this build of the quickstart has no Redis: it needs its cargo feature `redis`",
        )),
    }
}

fn features() -> Result<Option<FeatureSet>, Problems> {
    match env::var("AUTH_FEATURES") {
        Ok(list) => {
            let unknown = |error: UnknownFeature| Problems::one("AUTH_FEATURES", error.to_string());
            list.parse().map(Some).map_err(unknown)
        }
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Problems::one("AUTH_FEATURES", "expected text in UTF-8")),
    }
}

fn policy() -> Result<Option<CommonPasswords>, Problems> {
    match variable("AUTH_REFUSE_COMMON_PASSWORDS").as_deref() {
        None | Some("0") => Ok(None),
        Some("1") => Ok(Some(CommonPasswords)),
        Some(_) => Err(Problems::one("AUTH_REFUSE_COMMON_PASSWORDS", "expected 0 or 1")),
    }
}

/// The module's configuration, from the environment and, for secrets that it does not set, from the data directory. Without a
/// relying party, passkeys are for the page at `localhost`.
fn auth(
    data_dir: Option<&DataDir>,
    listener: Option<&TcpListener>,
    page: &str,
) -> Result<AuthConfig, Problems> {
    let secrets = match data_dir {
        Some(_) if Secrets::are_in_environment() => Ok(None),
        Some(data_dir) => Secrets::kept_in(data_dir).map(Some),
        // The start fails anyway. With these placeholders the other errors are found, too.
        None => Secrets::random().map(Some),
    };
    let secrets = secrets.map_err(|error| Problems::one("DATA_DIR", format!("the secrets: {error}")))?;
    let kept = |name: &str| secrets.as_ref()?.get(name);
    let port = listener.and_then(|listener| listener.local_addr().ok()).map(|addr| addr.port());
    let is_local = variable("AUTH_PASSKEY_RP_ID").is_none_or(|id| id == "localhost");
    let default = |name: &str| match name {
        "AUTH_PASSKEY_RP_ID" => Some("localhost".to_owned()),
        // Where the callback of a provider leads to: views of the page.
        "AUTH_LOGIN_PAGE" => Some("/".to_owned()),
        "AUTH_TWO_FACTOR_PAGE" => Some("/#/two-factor-challenge".to_owned()),
        "AUTH_REGISTRATION_PAGE" => Some("/#/register-by-provider".to_owned()),
        "AUTH_SERVICE_ISSUER" if page.starts_with("https://") => Some(page.to_owned()),
        "AUTH_SERVICE_ISSUER" => Some(format!("http://localhost:{}", port.unwrap_or(3000))),
        "AUTH_PASSKEY_RP_NAME" => Some("Quickstart".to_owned()),
        // An address in use is reported with the other errors.
        "AUTH_PASSKEY_ORIGINS" if is_local => Some(format!("http://localhost:{}", port.unwrap_or(3000))),
        _ => None,
    };
    let own = |name: &str| kept(name).or_else(|| default(name)).filter(|_| !is_in_file(name));
    Ok(AuthConfig::from_variables(|name| variable(name).or_else(|| own(name)))?)
}

/// Whether a variable names the file with the value of this one.
pub(crate) fn is_in_file(name: &str) -> bool {
    variable(&format!("{name}_FILE")).is_some()
}

/// Where the page is: what `PUBLIC_URL` says, or the address of the listener. In place of a loopback address it has the name
/// `localhost`, because browsers have passkeys for names alone.
fn page(listener: Option<&TcpListener>) -> Result<String, Problems> {
    let listening = listener.and_then(|listener| listener.local_addr().ok());
    let name = listening.map_or_else(|| "localhost".to_owned(), demo_provider::name_of);
    let url = variable("PUBLIC_URL").unwrap_or_else(|| format!("http://{name}"));
    match url.parse::<Uri>() {
        Ok(uri) if uri.scheme().is_some() && uri.query().is_none() => {
            Ok(url.trim_end_matches('/').to_owned())
        }
        _ => Err(Problems::one("PUBLIC_URL", "expected an absolute URL, as in `https://example.com`")),
    }
}

fn providers(page: &str) -> Result<Providers, Problems> {
    Ok(Providers::read(variable, page)?)
}

/// The demonstration provider, where there is no other and only this machine can reach the server.
fn demo_provider(
    listener: Option<&TcpListener>,
    page: &str,
    providers: Option<&Providers>,
) -> Result<Option<DemoProvider>, Problems> {
    let listening = listener.and_then(|listener| listener.local_addr().ok());
    let Some(listening) = listening else { return Ok(None) };
    if !is_development(listening, page) || !providers.is_some_and(Providers::is_empty) {
        return Ok(None);
    }
    let callback = format!("{page}/web/auth/oauth/{}/callback", demo_provider::NAME);
    let provider = DemoProvider::new(listening, vec![callback]);
    provider.map(Some).map_err(|error| Problems::one("the demonstration provider", error.to_string()))
}
