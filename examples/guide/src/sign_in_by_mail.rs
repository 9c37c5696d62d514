//! `docs/guide/sign-in-by-mail.md`

use axum_auth_module::mail::Mailer;
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;

pub async fn module(
    config: AuthConfig,
    pool: SqlitePool,
    mailer: Mailer,
) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, EMAIL_VERIFICATION, EMAIL_LOGIN, BROWSER_SESSIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
        delivery: {
            EmailVerification: mailer.email_verification(
                "https://example.com/verify#id={id}&hash={hash}&signature={signature}&expires={expires}",
            )?,
            EmailLogin: mailer.email_login("https://example.com/login#token={token}")?,
        },
    })
}

use axum::Form;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum_auth_module::extract::{BrowserLogin, Remember};
use axum_auth_module::services::EmailProof;
use axum_auth_module::{AuthError, Browser};
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Address {
    email: String,
}

pub async fn ask(browser: Browser<Account>, Form(form): Form<Address>) -> Result<Html<String>, AuthError> {
    let started = browser.email_login(&form.email, None, Remember::No).await?;
    let flow = started.flow_token; // base64url, which needs no escaping
    Ok(Html(format!(
        r#"<form method="post" action="/login/code"><input type="hidden" name="flow" value="{flow}">
<label>Code <input name="code" inputmode="numeric" autocomplete="one-time-code"></label><button>Sign in</button></form>"#
    )))
}

#[derive(Deserialize)]
pub struct Typed {
    flow: String,
    code: String,
}

pub async fn sign_in(browser: Browser<Account>, Form(form): Form<Typed>) -> Result<Response, AuthError> {
    let by_mail = browser.email_login_verify(&form.flow, &EmailProof::Code(form.code)).await?;
    Ok(match by_mail.login {
        BrowserLogin::Session(cookies) => (cookies, Redirect::to("/")).into_response(),
        BrowserLogin::Challenge(cookies) => (cookies, Redirect::to("/two-factor")).into_response(),
        _ => return Err(AuthError::internal("a step of the login that these pages do not have")),
    })
}

use axum_auth_module::config::{AuthConfigBuilder, EmailLoginOptions, EmailLoginProof};

pub fn links_only(config: AuthConfigBuilder) -> AuthConfigBuilder {
    let mut email_login = EmailLoginOptions::default();
    email_login.proof = EmailLoginProof::Link;
    config.email_login(email_login)
}

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{database, register};
    use axum::Router;
    use axum::routing::{get, post};
    use axum_auth_module::CurrentUser;
    use axum_auth_module::testing::{self, Browser as TestBrowser};
    use serde_json::Value;
    use std::{env, fs};

    /// A visitor of pages without scripts types the code of the mail.
    #[tokio::test]
    async fn a_code_typed_into_a_form_signs_in() {
        let outbox = env::temp_dir().join(format!("guide-sign-in-by-mail-{}", std::process::id()));
        let mailer = Mailer::files(&outbox, "Shop <no-reply@example.com>").build().unwrap();
        let config = testing::config().build().unwrap();
        let auth = module(config, database().await, mailer).await.unwrap();
        let app = Router::new()
            .route("/login", post(ask))
            .route("/login/code", post(sign_in))
            .route("/me", get(async |CurrentUser(account): CurrentUser<Account>| account.email))
            .nest("/auth", auth.router())
            .with_state(auth.clone());
        register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        let browser = TestBrowser::new(app);
        let page = browser.post("/login").form([("email", "ada@example.com")]).await.expect(200).text();
        let (_, rest) = page.split_once("value=\"").unwrap();
        let (flow, _) = rest.split_once('"').unwrap();
        auth.background_work_finished().await;
        let mail = fs::read_dir(&outbox).unwrap().next().unwrap().unwrap();
        let mail = fs::read_to_string(mail.path()).unwrap();
        let is_code = |line: &&str| line.len() == 9 && line.replace(' ', "").parse::<u64>().is_ok();
        let code = mail.lines().find(is_code).unwrap();
        browser.post("/login/code").form([("flow", flow), ("code", code)]).await.expect(303);
        assert_eq!(browser.get("/me").await.expect(200).text(), "ada@example.com");
        fs::remove_dir_all(&outbox).unwrap();
    }

    #[test]
    fn mails_have_links_alone() {
        assert!(links_only(testing::config()).build().is_ok());
    }
}
