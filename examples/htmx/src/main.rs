//! A site that is rendered on the server with maud, and whose forms htmx 2 sends: registration, login with a second factor, the sessions,
//! and notes.
//!
//! ```sh
//! (cd examples/htmx && npm install)   # htmx itself, in the version that package.json names
//! cargo run -p htmx                   # http://localhost:3000
//! ```
//!
//! Without `npm install` the log says that htmx is missing, and the site works without it: every form has `method` and `action`.
//!
//! | file | purpose |
//! |---|---|
//! | `site/htmx.rs` | **what differs for htmx**: redirects, errors and parts of pages, for all handlers |
//! | `site/form.rs` | a form with its errors, and the attributes that htmx reads |
//! | `site/page.rs` | a page, and the part of it that a form replaces |
//! | `site/assets.rs` | the Content-Security-Policy, and the files |
//! | `pages/` | a file for each page, with its template and its handlers, which know nothing of htmx |
//! | `settings.rs` | the environment variables |
//!
//! There are no CSRF tokens. [`Browser`] and the extractors of the user refuse requests of other origins, those of htmx as well: the
//! browser says where a request comes from (`Sec-Fetch-Site`, `Origin`), and no script can change that. This needs two rules: a GET request
//! changes nothing, and a handler that changes something takes [`Browser`] or an extractor of the user.
//!
//! [`Browser`]: axum_auth_module::Browser

mod account;
mod pages;
mod settings;
mod site;

use account::Account;
use axum::Router;
use axum::extract::FromRef;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Redirect;
use axum::routing::{get, post};
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use settings::Settings;
use site::HtmxFile;
use sqlx::SqlitePool;
use std::io::{self, Write};
use std::net::SocketAddr;

/// The state of the handlers.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
    pool: SqlitePool,
    htmx: HtmxFile,
}

impl App {
    async fn new(config: AuthConfig, pool: SqlitePool, htmx: HtmxFile) -> Result<Self, BoxError> {
        axum_auth_module::sql::migrate(&pool).await?;
        pages::notes::create_table(&pool).await?;
        let auth = auth_module! {
            config: config,
            features: [REGISTRATION, TWO_FACTOR_AUTHENTICATION, SESSIONS, BROWSER_SESSIONS],
            user_repo: SqlUsers::<Account>::new(pool.clone()),
            session_repo: SqlSessions::new(pool.clone()),
            store: SqlStore::new(pool.clone()),
            actions: StandardActions,
        };
        Ok(Self { auth, pool, htmx })
    }

    fn routes(self) -> Router {
        use pages::{challenge, confirmation, login, notes, registration, sessions, two_factor};
        Router::new()
            .route("/", get(async || Redirect::to(site::HOME)))
            .route("/register", get(registration::show).post(registration::register))
            .route("/login", get(login::show).post(login::log_in))
            .route("/two-factor-challenge", get(challenge::show).post(challenge::prove))
            .route("/logout", post(login::log_out))
            .route("/confirm", get(confirmation::show).post(confirmation::confirm))
            .route("/notes", get(notes::show).post(notes::change))
            .route("/sessions", get(sessions::show).post(sessions::end))
            .route("/two-factor", get(two_factor::show).post(two_factor::change))
            .layer(from_fn_with_state(self.htmx.clone(), site::respond))
            .route("/style.css", get(site::style))
            .route(site::SCRIPT, get(site::script))
            .layer(from_fn(site::security_headers))
            .with_state(self)
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    // Standard output has the address, for scripts; the log goes to standard error.
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    let Settings { config, pool, htmx, listener } = Settings::from_env().await?;
    let app = App::new(config, pool, htmx).await?;
    writeln!(io::stdout(), "listening on http://{}", listener.local_addr()?)?;
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.routes().into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
