//! A host with diesel and PostgreSQL, without sqlx. It shows:
//!
//! - adapters of the host's own for the library's four repositories and stores, over diesel-async ([`adapters`]), which pass the suites
//!   of `axum_auth_module::testing::conformance` ([`tests`]);
//! - one pool of connections for the library and for the host's own statements ([`database`]);
//! - migrations of diesel, which the program runs when it starts (`migrations`).
//!
//! diesel-async speaks PostgreSQL's protocol itself: libpq is not needed. Any number of instances can run on one database, which
//! `deployment: many` has the compiler check.
//!
//! To run it, in `examples/integrations`:
//!
//! ```sh
//! export AUTH_JWT_SECRET=$(openssl rand -base64 32) AUTH_REFRESH_SECRET=$(openssl rand -base64 32) \
//!   AUTH_ENCRYPTION_KEY=$(openssl rand -base64 32) DATABASE_URL=postgres://postgres@127.0.0.1:5432/shop
//! createdb -h 127.0.0.1 -U postgres shop
//! cargo run -p diesel_host
//! curl http://127.0.0.1:3000/auth/register -H 'content-type: application/json' -d '{"name": "Ada",
//!   "email": "ada@example.com", "password": "correct horse battery", "passwordConfirmation": "correct horse battery"}'
//! curl http://127.0.0.1:3000/me -H "authorization: Bearer …"   # the accessToken of that response
//! ```
//!
//! The mails are files in the directory `outbox`.

mod adapters;
mod database;
mod schema;

use adapters::{Account, Accounts, Entries, ResetTokens, Sessions};
use axum::extract::FromRef;
use axum::routing::get;
use axum::{Json, Router};
use axum_auth_module::clock::Clock;
use axum_auth_module::delivery::{Delivers, PasswordResetMessage};
use axum_auth_module::mail::Mailer;
use axum_auth_module::{AuthConfig, AuthModule, BoxError, CurrentUser, StandardActions, auth_module};
use database::Database;
use serde_json::{Value, json};
use std::env;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// The state of the routes.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

/// The module over this database. `clock` is the one of `config`: by it entries of the store expire.
fn module(
    config: AuthConfig,
    database: &Database,
    clock: impl Clock,
    reset_mail: impl Delivers<PasswordResetMessage>,
) -> Result<AuthModule<Account>, BoxError> {
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, SESSIONS],
        deployment: many,
        user_repo: Accounts::new(database),
        password_reset_repo: ResetTokens::new(database),
        session_repo: Sessions::new(database),
        store: Entries::new(database, clock),
        actions: StandardActions,
        delivery: { PasswordReset: reset_mail },
    })
}

fn router(auth: AuthModule<Account>) -> Router {
    Router::new().route("/me", get(me)).nest("/auth", auth.router()).with_state(App { auth })
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> Json<Value> {
    Json(json!({ "id": account.id, "name": account.name, "plan": account.plan }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init();
    let url = env::var("DATABASE_URL")?;
    database::migrate(&url).await?;
    let database = Database::open(&url).await?;
    let mailer = Mailer::files("outbox", "Shop <no-reply@example.com>").build()?;
    let reset_mail = mailer.password_reset("https://example.com/reset#token={token}&email={email}")?;
    let auth = module(AuthConfig::from_env()?, &database, axum_auth_module::clock::SystemClock, reset_mail)?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    axum::serve(listener, router(auth).into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
