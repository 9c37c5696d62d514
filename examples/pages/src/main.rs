//! A site that is rendered on the server and needs no JavaScript but for passkeys: accounts with everything that belongs to them,
//! as pages and forms. Copy it to start a site of your own. `examples/htmx` has the layer with which htmx sends such forms.
//!
//! | file | purpose |
//! |---|---|
//! | `main.rs` | the routes, and the module with its adapters |
//! | `setup.rs` | the data directory, the secrets, the database and the mails |
//! | `providers.rs` | the providers that visitors can log in with |
//! | `account.rs` | the user record |
//! | `site/` | what all pages share: the layout, forms, notices, errors, security headers |
//! | `pages/` | the pages: one file for each, with its template and its handlers |
//!
//! The templates are [maud](https://maud.lambda.xyz): the README says why.
//!
//! # Where are the CSRF tokens?
//!
//! There are none. A form of another site is refused without them: the extractor [`Browser`] and every extractor of the
//! user compare the origin of the request with their own (`Sec-Fetch-Site`, `Origin`), and a session cookie does not count
//! in a request of another origin. This needs two rules, which you must keep when you add pages:
//!
//! 1. A GET request changes nothing.
//! 2. A handler that changes something takes [`Browser`] or an extractor of the user.
//!
//! [`Browser`]: axum_auth_module::Browser

mod account;
mod pages;
mod providers;
mod setup;
mod site;

use account::Account;
use axum::Router;
use axum::extract::FromRef;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use axum_auth_module::actions::DeleteRecord;
use axum_auth_module::http::OutboundClient;
use axum_auth_module::mail::Mailer;
use axum_auth_module::social::SocialProviders;
use axum_auth_module::sql::{
    SqlDeletions, SqlIdentities, SqlPasskeys, SqlPasswordResets, SqlSessions, SqlStore, SqlUsers,
};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use setup::Setup;
use site::ProviderNames;
use sqlx::SqlitePool;
use std::io::{self, Write};
use std::net::SocketAddr;

/// The state of the handlers.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
    providers: ProviderNames,
}

/// `policy`: what the pages may load, and where their forms may lead.
fn routes(auth: AuthModule<Account>, providers: ProviderNames, policy: HeaderValue) -> Router {
    use pages::{
        confirmation, delete_account, email, email_change, email_verification, home, login, mail_login,
        members, passkeys, password, password_reset, profile, provider_link, provider_login,
        provider_registration, registration, restore, revert, safe, secure, sessions, two_factor,
        two_factor_challenge,
    };
    Router::new()
        .route("/", get(home::show))
        .route("/register", get(registration::show).post(registration::register))
        .route("/login", get(login::show).post(login::log_in))
        .route("/login-by-mail", get(mail_login::show).post(mail_login::proceed))
        .route("/two-factor-challenge", get(two_factor_challenge::show).post(two_factor_challenge::prove))
        .route("/logout", post(login::log_out))
        .route("/forgot-password", get(password_reset::show_request).post(password_reset::request))
        .route("/reset-password", get(password_reset::show).post(password_reset::reset))
        .route("/email-verification", get(email_verification::show).post(email_verification::send))
        .route("/verify-email", get(email_verification::show_link).post(email_verification::verify))
        .route("/profile", get(profile::show).post(profile::update))
        .route("/email", get(email::show).post(email::act))
        .route("/email-change", get(email_change::show).post(email_change::change))
        .route("/delete-account", get(delete_account::show).post(delete_account::delete))
        .route("/restore", get(restore::show).post(restore::restore))
        .route("/revert", get(revert::show).post(revert::revert))
        .route("/secure", get(secure::show).post(secure::secure))
        .route("/password", get(password::show).post(password::update))
        .route("/confirm", get(confirmation::show).post(confirmation::confirm))
        .route("/two-factor", get(two_factor::show).post(two_factor::change))
        .route(
            "/recovery-codes",
            get(two_factor::show_recovery_codes).post(two_factor::replace_recovery_codes),
        )
        .route("/passkeys", get(passkeys::show).post(passkeys::change))
        .route("/oauth/{provider}", post(provider_login::begin))
        // HEAD must not use a code up, so it is refused.
        .route("/oauth/{provider}/callback", get(provider_login::finish).head(not_allowed))
        .route(
            "/register-with-provider",
            get(provider_registration::show).post(provider_registration::register),
        )
        .route("/link-provider", get(provider_link::show).post(provider_link::link))
        .route("/providers", get(pages::providers::show).post(pages::providers::change))
        .route("/providers/{provider}", post(pages::providers::begin))
        .route("/sessions", get(sessions::show).post(sessions::end))
        .route("/members", get(members::show))
        .route("/safe", get(safe::show))
        .layer(from_fn(site::error_pages))
        .route("/style.css", get(site::style))
        // Only a script can ask a browser for a passkey. It uses these routes.
        .route("/passkeys.js", get(site::script))
        .nest(site::MODULE, auth.browser_router())
        .layer(from_fn_with_state(policy, site::security_headers))
        .with_state(App { auth, providers })
}

async fn not_allowed() -> StatusCode {
    StatusCode::METHOD_NOT_ALLOWED
}

async fn module(
    config: AuthConfig,
    database: SqlitePool,
    mailer: Mailer,
    providers: SocialProviders,
    url: &str,
) -> Result<AuthModule<Account>, BoxError> {
    let users = SqlUsers::<Account>::new(database.clone());
    Ok(auth_module! {
        config: config,
        features: [
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
        ],
        user_repo: users.clone(),
        password_reset_repo: SqlPasswordResets::new(database.clone()),
        session_repo: SqlSessions::new(database.clone()),
        passkey_repo: SqlPasskeys::new(database.clone()),
        identity_repo: SqlIdentities::new(database.clone()),
        deletion_repo: SqlDeletions::new(database.clone()),
        social_providers: providers,
        http_client: OutboundClient::new(),
        store: SqlStore::new(database),
        actions: {
            // This site stores no data of an account outside the table of users.
            DeletesUsers: DeleteRecord::new(users),
            ..StandardActions
        },
        delivery: {
            PasswordReset: mailer.password_reset(format!("{url}{}", pages::password_reset::LINK))?,
            EmailVerification: mailer.email_verification(format!("{url}{}", pages::email_verification::LINK))?,
            // The mails have a code alone (`setup.rs`).
            EmailLogin: mailer.email_login(format!("{url}/login-by-mail?token={{token}}"))?,
            EmailChange: mailer.email_change(format!("{url}{}", pages::email_change::LINK))?,
            AccountDeletion: mailer.account_deletion(format!("{url}{}", pages::restore::LINK))?,
            SecurityNotice: mailer.security_notice(format!("{url}{}", pages::secure::LINK))?,
            Notices: mailer.notices(),
        },
    })
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    // Standard output has one line, for scripts: the site's address. Everything else goes to standard error.
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    let Setup { listener, public_url, config, database, mailer, providers } = Setup::from_env().await?;
    let names = providers.providers.names().collect();
    let policy = site::policy(&providers.origins)?;
    let auth = module(config, database.clone(), mailer, providers.providers, &public_url).await?;
    writeln!(io::stdout(), "listening on {public_url}")?;
    // The limits go by the clients' addresses.
    let service = routes(auth.clone(), names, policy).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).with_graceful_shutdown(interrupted()).await?;
    // Mails that are being sent.
    auth.background_work_finished().await;
    database.close().await;
    Ok(())
}

/// Waits for Ctrl-C.
async fn interrupted() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        tracing::error!(%error, "Ctrl-C is not noticed");
        std::future::pending::<()>().await;
    }
}
