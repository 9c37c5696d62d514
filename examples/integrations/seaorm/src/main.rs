//! SeaORM 2 and the module on one pool of SQLite. It shows:
//!
//! - one `sqlx` pool for both: SeaORM 2 and the library's adapters have the same version of sqlx;
//! - one struct that is an entity of SeaORM, the user of the module and a row of sqlx ([`entity::account::Model`]);
//! - notes that belong to a user, in routes that [`CurrentUser`](axum_auth_module::CurrentUser) protects ([`notes`]);
//! - a registration that writes the user and a first note in one transaction of SeaORM ([`registration`]);
//! - a deletion of the account, with which the database deletes the notes.
//!
//! To run it, in `examples/integrations`:
//!
//! ```sh
//! export AUTH_JWT_SECRET=$(openssl rand -base64 32) AUTH_REFRESH_SECRET=$(openssl rand -base64 32) \
//!   AUTH_ENCRYPTION_KEY=$(openssl rand -base64 32) DATABASE_URL='sqlite://notes.db?mode=rwc'
//! cargo run -p seaorm_host
//! curl http://127.0.0.1:3000/auth/register -H 'content-type: application/json' -d '{"name": "Ada",
//!   "email": "ada@example.com", "password": "correct horse battery", "passwordConfirmation": "correct horse battery"}'
//! curl http://127.0.0.1:3000/notes -H "authorization: Bearer …"   # the accessToken of that response
//! ```
//!
//! The mails are files in the directory `outbox`. With PostgreSQL or MySQL, `PgPool` or `MySqlPool` and the connector of SeaORM for it
//! take the place of those for SQLite.

mod database;
mod entity;
mod failure;
mod notes;
mod registration;

use axum::Router;
use axum::extract::FromRef;
use axum_auth_module::actions::DeleteRecord;
use axum_auth_module::delivery::{AccountDeletionMessage, Delivers, PasswordResetMessage};
use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlDeletions, SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use entity::account;
use registration::RegisterWithNote;
use sea_orm::{DatabaseConnection, SqlxSqliteConnector};
use sqlx::SqlitePool;
use std::env;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// The state of the routes.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<account::Model>,
    database: DatabaseConnection,
}

/// The host over this pool, which SeaORM and the library share.
async fn host(
    config: AuthConfig,
    pool: SqlitePool,
    reset_mail: impl Delivers<PasswordResetMessage>,
    deletion_mail: impl Delivers<AccountDeletionMessage>,
) -> Result<App, BoxError> {
    let database = SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.clone());
    database::create_tables(&pool, &database).await?;
    let users = SqlUsers::<account::Model>::new(pool.clone()).table("accounts")?;
    // Does the table that SeaORM has made fit the library? If not, the host does not start, and the error says what is missing.
    users.check().await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, SESSIONS, DELETE_ACCOUNTS],
        user_repo: users.clone(),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        deletion_repo: SqlDeletions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: {
            CreatesNewUsers: RegisterWithNote { database: database.clone() },
            // The notes go with the row of the user: their foreign key has `ON DELETE CASCADE`.
            DeletesUsers: DeleteRecord::new(users),
            ..StandardActions
        },
        delivery: {
            PasswordReset: reset_mail,
            AccountDeletion: deletion_mail,
        },
    };
    Ok(App { auth, database })
}

fn router(app: App) -> Router {
    notes::routes().nest("/auth", app.auth.router()).with_state(app)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    // At the level `trace`, spans of SeaORM have the values of statements in them, which are personal data and hashes.
    tracing_subscriber::fmt::init();
    let pool = SqlitePool::connect(&env::var("DATABASE_URL")?).await?;
    let mailer = Mailer::files("outbox", "Notes <no-reply@example.com>").build()?;
    let reset_mail = mailer.password_reset("https://example.com/reset#token={token}&email={email}")?;
    let deletion_mail = mailer.account_deletion("https://example.com/restore#token={token}")?;
    let app = host(AuthConfig::from_env()?, pool, reset_mail, deletion_mail).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    axum::serve(listener, router(app).into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
