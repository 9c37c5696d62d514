use axum::{Router, extract::FromRef, routing::get};
use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{
    AuthConfig, AuthModule, AuthUser, BoxError, CurrentUser, StandardActions, auth_module,
};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;
use std::{env, net::SocketAddr};
use tokio::net::TcpListener;

#[derive(Clone, AuthUser, sqlx::FromRow)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    format!("Hello {}", account.name)
}

async fn app(config: AuthConfig, pool: SqlitePool, mailer: Mailer) -> Result<Router, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    let auth = auth_module! {
        config: config,
        features: [
            REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION, UPDATE_PASSWORDS, TWO_FACTOR_AUTHENTICATION,
            SESSIONS, BROWSER_SESSIONS,
        ],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
        // The pages of your front end that the mails lead to.
        delivery: {
            PasswordReset: mailer.password_reset("https://example.com/reset-password#token={token}&email={email}")?,
            EmailVerification: mailer.email_verification(
                "https://example.com/verify-email#id={id}&hash={hash}&signature={signature}&expires={expires}",
            )?,
        },
    };
    Ok(Router::new()
        .route("/me", get(me))
        // For clients that keep tokens, and for browsers, which keep a cookie.
        .nest("/auth", auth.router())
        .nest("/web/auth", auth.browser_router())
        .with_state(App { auth }))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    // The log: without a subscriber, nobody learns why a response was 500.
    tracing_subscriber::fmt().init();
    let pool = SqlitePool::connect("sqlite://accounts.db?mode=rwc").await?;
    let mailer = Mailer::smtp(env::var("SMTP_URL")?, "Example <no-reply@example.com>").build()?;
    let app = app(AuthConfig::from_env()?, pool, mailer).await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    // The rate limits go by the clients' addresses.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    //! The file above this module is exactly the README's host (`readme.rs` compares the two). Here it runs.

    use super::*;
    use crate::host::registration;
    use sqlx::sqlite::SqlitePoolOptions;

    #[tokio::test]
    async fn the_readmes_host_serves_a_login() {
        let secrets = ["a secret of thirty-two bytes or so", "another one of thirty-two bytes.."];
        let config =
            AuthConfig::builder(secrets[0], secrets[1], "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
        let config = config.bcrypt_cost(10).build().expect("a configuration");
        let one = SqlitePoolOptions::new().max_connections(1);
        let pool = one.connect("sqlite::memory:").await.expect("a database");
        // No mail is sent here, so there is no server.
        let mailer = Mailer::smtp("smtp://localhost", "no-reply@example.com").build().expect("a mailer");
        let app = app(config, pool, mailer).await.expect("tables");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("bound"));
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(axum::serve(listener, service).into_future());

        let client = reqwest::Client::new();
        let register = client.post(format!("{base}/auth/register")).json(&registration("ada@example.com"));
        let response: serde_json::Value =
            register.send().await.expect("a response").json().await.expect("JSON");
        let token = response["accessToken"].as_str().expect("a token");
        let me = client.get(format!("{base}/me")).bearer_auth(token).send().await.expect("a response");
        assert_eq!(me.text().await.expect("text"), "Hello Ada");
    }
}
