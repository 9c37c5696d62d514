//! A single-page application in plain JavaScript without a build step, and the host that serves it.
//!
//! ```sh
//! cargo run -p spa            # http://localhost:3000
//! ```
//!
//! The pages are in `web/`. They use the package of `examples/client`. The page uses the browser router, and
//! by a switch the bearer router, so that you can compare them. To see several tabs share one refresh, select the tokens,
//! start with `AUTH_ACCESS_TOKEN_SECONDS=10`, and open two tabs.
//!
//! Without configuration everything is in memory, and ends with the program. `DATABASE_URL` (`sqlite://spa.db?mode=rwc`)
//! keeps it; the secrets must then be in `AUTH_JWT_SECRET`, `AUTH_REFRESH_SECRET` and `AUTH_ENCRYPTION_KEY`. `ADDR` is
//! where to listen. Mails are files in `spa-outbox`, or in the directory `OUTBOX`. The library's own variables work, too,
//! such as `AUTH_INSECURE_COOKIES=1` for Safari. Passkeys are for the page at `http://localhost` and the port, unless
//! `AUTH_PASSKEY_RP_ID` and `AUTH_PASSKEY_ORIGINS` name another site. `providers.rs` has the variables of the providers; open the page at
//! `http://localhost` for them, too.

mod account;
mod deletion;
mod notes;
mod providers;
mod settings;
mod web;

use account::Account;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::http::OutboundClient;
use axum_auth_module::mail::Mailer;
use axum_auth_module::social::SocialProviders;
use axum_auth_module::sql::{
    SqlDeletions, SqlIdentities, SqlPasskeys, SqlPasswordResets, SqlSessions, SqlStore, SqlUsers,
};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use deletion::WithNotes;
use settings::Settings;
use sqlx::SqlitePool;
use std::io::{self, Write};
use std::net::SocketAddr;

/// The state of the routes.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
    pool: SqlitePool,
}

/// The whole application. `url` is where its pages are, for the links in mails.
async fn app(
    config: AuthConfig,
    pool: SqlitePool,
    store: SqlStore,
    mailer: Mailer,
    providers: SocialProviders,
    url: &str,
) -> Result<Router, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    notes::create_table(&pool).await?;
    let users = SqlUsers::<Account>::new(pool.clone());
    let auth = auth_module! {
        config: config,
        features: [
            REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION, UPDATE_PASSWORDS, TWO_FACTOR_AUTHENTICATION, SESSIONS, BROWSER_SESSIONS,
            PASSKEYS, SOCIAL_LOGIN, EMAIL_LOGIN, PASSWORDLESS_REGISTRATION, DELETE_ACCOUNTS, TRUSTED_DEVICES,
        ],
        user_repo: users.clone(),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        passkey_repo: SqlPasskeys::new(pool.clone()),
        identity_repo: SqlIdentities::new(pool.clone()),
        deletion_repo: SqlDeletions::new(pool.clone()),
        social_providers: providers,
        http_client: OutboundClient::new(),
        store: store,
        actions: {
            DeletesUsers: WithNotes { pool: pool.clone(), users },
            ..StandardActions
        },
        // Pages, not routes of the module. A browser sends what follows the `#` to nobody, so no log has the tokens.
        delivery: {
            PasswordReset: mailer.password_reset(format!("{url}/#/reset-password?token={{token}}&email={{email}}"))?,
            EmailVerification: mailer.email_verification(format!(
                "{url}/#/verify-email?id={{id}}&hash={{hash}}&signature={{signature}}&expires={{expires}}"
            ))?,
            EmailLogin: mailer.email_login(format!("{url}/#/mail?token={{token}}"))?,
            AccountDeletion: mailer.account_deletion(format!("{url}/#/restore?token={{token}}"))?,
            Notices: mailer.notices(),
        },
    };
    // An application needs one of the two routers. This one has both, for comparison.
    Ok(Router::new()
        .nest("/auth", auth.browser_router())
        .nest("/bearer", auth.router())
        .route("/api/me", get(account::me))
        .nest("/api/notes", notes::router())
        .merge(auth.well_known())
        .merge(web::router())
        .with_state(App { auth, pool }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    // Standard output has the address, for scripts; the log goes to standard error.
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    let Settings { config, pool, mailer, providers, listener } = Settings::from_env().await?;
    let url = format!("http://{}", listener.local_addr()?);
    let store = SqlStore::new(pool.clone());
    let app = app(config, pool, store, mailer, providers, &url).await?;
    writeln!(io::stdout(), "listening on {url}")?;
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
