//! The quickstart: a complete host with the authentication module under `/auth` and `/web/auth`, a page that uses it, and
//! its data in a database.
//!
//! It starts without configuration: it creates the data directory, the database and the secrets, and writes mails to
//! files. Environment variables change this; `quickstart --help` prints them.

mod account;
mod admin;
mod arguments;
mod data_dir;
mod database;
mod demo_provider;
mod guarded;
mod mail;
mod outbox;
mod page;
mod problems;
mod programs;
mod providers;
mod secrets;
mod server;
mod service_keys;
mod settings;
mod social;

use account::Account;
use arguments::Request;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::actions::DeleteRecord;
use axum_auth_module::http::OutboundClient;
use axum_auth_module::languages::Messages;
use axum_auth_module::sql::{
    Database, SqlApiTokens, SqlDeletions, SqlIdentities, SqlPasskeys, SqlPasswordResets, SqlSessions,
    SqlStore, SqlUsers,
};
use axum_auth_module::store::EphemeralStore;
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use guarded::{Safe, Vault};
use problems::Problems;
use programs::{DemoRead, DemoWrite};
use settings::Settings;
use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

/// The state of the routes.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
    database: Database,
}

#[tokio::main]
async fn main() -> ExitCode {
    match arguments::request(env::args_os().skip(1)) {
        Request::Serve => {}
        Request::Help(text) => return written(io::stdout(), &text, ExitCode::SUCCESS),
        Request::Unknown(text) => return written(io::stderr(), &text, ExitCode::FAILURE),
    }
    // Standard output has the server's address in its first line, for scripts, and in development the address of the page with
    // its mails. Everything else goes to standard error: the second address must not be in a log.
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => written(io::stderr(), &problems.to_string(), ExitCode::FAILURE),
    }
}

/// Writes the text and returns the exit code. `eprintln!` would panic if the stream is closed; the exit code is enough then.
fn written(mut stream: impl Write, text: &str, code: ExitCode) -> ExitCode {
    let _ = writeln!(stream, "{text}");
    code
}

/// Starts the host and serves until a signal arrives.
async fn run() -> Result<(), Problems> {
    let settings = Settings::from_env().await?;
    let database = database::open(&settings).await?;
    let store: Arc<dyn EphemeralStore> = match settings.redis {
        Some(redis) => redis,
        None => Arc::new(SqlStore::new(&database)),
    };
    let users = SqlUsers::<Account>::new(&database);
    let auth = auth_module! {
        config: settings.auth,
        features: enabled(settings.features) within [
            REGISTRATION,
            RESET_PASSWORDS,
            EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION,
            UPDATE_PASSWORDS,
            TWO_FACTOR_AUTHENTICATION,
            SESSIONS,
            BROWSER_SESSIONS,
            EMAIL_LOGIN,
            PASSWORDLESS_REGISTRATION,
            CHANGE_EMAILS,
            SECURITY_NOTICES,
            DELETE_ACCOUNTS,
            USERNAMES,
            PASSKEYS,
            SOCIAL_LOGIN,
            API_TOKENS,
            TRUSTED_DEVICES,
            INVITATIONS,
            SERVICE_TOKENS,
        ],
        user_repo: users.clone(),
        password_reset_repo: SqlPasswordResets::new(&database),
        session_repo: SqlSessions::new(&database),
        passkey_repo: SqlPasskeys::new(&database),
        identity_repo: SqlIdentities::new(&database),
        deletion_repo: SqlDeletions::new(&database),
        social_providers: social::providers(settings.providers, settings.demo_provider.as_ref())?,
        http_client: OutboundClient::new(),
        api_token_repo: SqlApiTokens::new(&database),
        api_scopes: programs::scopes()?,
        service_keys: settings.service_keys,
        store: store,
        policy: (settings.policy, settings.admin_token.clone()),
        messages: Messages::english().and(Messages::german()),
        actions: {
            // The quickstart stores no data of an account outside the table of users.
            DeletesUsers: DeleteRecord::new(users.clone()),
            ..StandardActions
        },
        delivery: {
            PasswordReset: settings.mails.password_reset,
            EmailVerification: settings.mails.email_verification,
            EmailLogin: settings.mails.email_login,
            EmailChange: settings.mails.email_change,
            SecurityNotice: settings.mails.security_notice,
            Invitation: settings.mails.invitation,
            AccountDeletion: settings.mails.account_deletion,
            Notices: settings.mails.notices,
        },
    };
    tracing::info!(features = %auth.features(), "the authentication module is under /auth and /web/auth");

    let outbox = settings.mails.outbox;
    let outbox_address = outbox.as_ref().map(|outbox| outbox.address(&settings.page));
    let openapi = auth.openapi().router("/auth").browser_router("/web/auth").build();
    let own = Router::new()
        .route("/me", get(account::me))
        .route("/safe", get(guarded::open::<Safe>))
        .route("/vault", get(guarded::open::<Vault>))
        .route("/api/demo", get(programs::demo::<DemoRead>).post(programs::demo::<DemoWrite>))
        .route("/api/either", get(programs::either));
    let mut app = Router::new()
        // Their refusals are in the visitor's language, like those of the module's routes.
        .merge(auth.with_languages(own))
        .route("/healthz", get(database::healthz))
        // Programs send tokens, browsers a cookie.
        .nest("/auth", auth.router())
        .nest("/web/auth", auth.browser_router())
        // What password managers and other services look for at the root of the site.
        .merge(auth.well_known())
        .merge(page::routes(auth.features(), openapi, outbox, settings.page));
    if let Some(provider) = &settings.demo_provider {
        app = app.nest(demo_provider::PATH, provider.router());
    }
    if let Some(token) = settings.admin_token {
        app = app.nest("/admin", admin::routes(token, auth.clone(), users));
    }
    let app = app.with_state(App { auth: auth.clone(), database: database.clone() });

    let ended = server::serve(settings.listener, app, outbox_address, &auth, database).await;
    ended.map_err(|error| Problems::one("the server", error.to_string()))
}
