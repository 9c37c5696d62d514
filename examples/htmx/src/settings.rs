//! The environment variables.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `ADDR` | where to listen | `127.0.0.1:3000` |
//! | `DATABASE_URL` | the database, such as `sqlite://htmx.db?mode=rwc`. The module's secrets must then be set, too | in memory, with random secrets |
//! | `HTMX` | the file `htmx.min.js` | that in `examples/htmx/node_modules` |
//! | `AUTH_…` | the module's own; `AUTH_INSECURE_COOKIES=1` is for Safari, which keeps no cookies of `http://localhost` | those of the library |

use crate::site::HtmxFile;
use axum_auth_module::{AuthConfig, BoxError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use std::collections::HashMap;
use std::env;
use tokio::net::TcpListener;

/// Where `npm install` puts htmx.
const INSTALLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/node_modules/htmx.org/dist/htmx.min.js");

pub(crate) struct Settings {
    pub(crate) config: AuthConfig,
    pub(crate) pool: SqlitePool,
    pub(crate) htmx: HtmxFile,
    pub(crate) listener: TcpListener,
}

impl Settings {
    pub(crate) async fn from_env() -> Result<Self, BoxError> {
        let mut defaults = HashMap::new();
        let pool = match variable("DATABASE_URL") {
            Some(url) => SqlitePool::connect(&url).await?,
            None => {
                // The secrets may end with the program only because the data does, too.
                defaults.extend(random_secrets()?);
                database_in_memory().await?
            }
        };
        let config =
            AuthConfig::from_variables(|name| variable(name).or_else(|| defaults.get(name).cloned()))?;
        let htmx = HtmxFile::read(variable("HTMX").as_deref().unwrap_or(INSTALLED));
        let addr = variable("ADDR").unwrap_or_else(|| "127.0.0.1:3000".to_owned());
        let listener = TcpListener::bind(&addr).await.map_err(|error| format!("ADDR {addr}: {error}"))?;
        Ok(Self { config, pool, htmx, listener })
    }
}

/// A variable's value. An empty value counts as unset, as in the library.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn random_secrets() -> Result<Vec<(&'static str, String)>, BoxError> {
    let mut secrets = Vec::new();
    for name in ["AUTH_JWT_SECRET", "AUTH_REFRESH_SECRET", "AUTH_ENCRYPTION_KEY"] {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        secrets.push((name, STANDARD.encode(bytes)));
    }
    Ok(secrets)
}

/// It ends with its only connection, so that one is never closed.
pub(crate) async fn database_in_memory() -> sqlx::Result<SqlitePool> {
    let one = SqlitePoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
    one.connect("sqlite::memory:").await
}
