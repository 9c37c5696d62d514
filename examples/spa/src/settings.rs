//! The environment variables; see `main.rs`.

use crate::providers;
use axum_auth_module::mail::Mailer;
use axum_auth_module::social::SocialProviders;
use axum_auth_module::{AuthConfig, BoxError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use std::collections::HashMap;
use std::env;
use tokio::net::TcpListener;

pub(crate) struct Settings {
    pub(crate) config: AuthConfig,
    pub(crate) pool: SqlitePool,
    pub(crate) mailer: Mailer,
    pub(crate) providers: SocialProviders,
    pub(crate) listener: TcpListener,
}

impl Settings {
    pub(crate) async fn from_env() -> Result<Self, BoxError> {
        let addr = variable("ADDR").unwrap_or_else(|| "127.0.0.1:3000".to_owned());
        let listener = TcpListener::bind(&addr).await.map_err(|error| format!("ADDR {addr}: {error}"))?;
        // The cookies of a sign-in belong to a host: the page is to be opened at this one.
        let url = format!("http://localhost:{}", listener.local_addr()?.port());
        let providers = providers::read(variable, &url)?;
        // Where the module's own route leads to if a step is missing: views of the application.
        let mut defaults = HashMap::from([
            ("AUTH_LOGIN_PAGE", "/#/login".to_owned()),
            ("AUTH_TWO_FACTOR_PAGE", "/#/challenge".to_owned()),
            ("AUTH_REGISTRATION_PAGE", "/#/provider-registration".to_owned()),
        ]);
        if variable("AUTH_PASSKEY_RP_ID").is_none() {
            defaults.extend([("AUTH_PASSKEY_RP_ID", "localhost".to_owned()), ("AUTH_PASSKEY_ORIGINS", url)]);
        }
        let pool = match variable("DATABASE_URL") {
            Some(url) => SqlitePool::connect(&url).await?,
            None => {
                // The secrets may end with the program only because the data does, too.
                defaults.extend(random_secrets()?);
                database_in_memory().await?
            }
        };
        let variable_or_default = |name: &str| variable(name).or_else(|| defaults.get(name).cloned());
        let config = AuthConfig::from_variables(variable_or_default)?;
        let outbox = variable("OUTBOX").unwrap_or_else(|| "spa-outbox".to_owned());
        tracing::info!(outbox, "mails are files");
        let mailer = Mailer::files(outbox, "Notes <notes@localhost>").build()?;
        Ok(Self { config, pool, mailer, providers, listener })
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
