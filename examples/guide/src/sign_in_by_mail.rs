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
        features: [
            REGISTRATION,
            EMAIL_VERIFICATION,
            EMAIL_LOGIN,
            PASSWORDLESS_REGISTRATION,
            BROWSER_SESSIONS,
        ],
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
use axum_auth_module::extract::{BrowserLogin, BrowserMailLogin, Remember};
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
    let proven = browser.email_login_verify(&form.flow, &EmailProof::Code(form.code)).await?;
    Ok(match proven {
        BrowserMailLogin::Known { login: BrowserLogin::Session(cookies), .. } => {
            (cookies, Redirect::to("/")).into_response()
        }
        BrowserMailLogin::Known { login: BrowserLogin::Challenge(cookies), .. } => {
            (cookies, Redirect::to("/two-factor")).into_response()
        }
        BrowserMailLogin::Registration(started) => ask_for_a_name(&started.registration_token),
        _ => return Err(AuthError::internal("a step of the login that these pages do not have")),
    })
}

use axum_auth_module::extract::{PasswordlessForm, SetCookies};

fn ask_for_a_name(registration_token: &str) -> Response {
    // It has the form of a flow token.
    Html(format!(
        r#"<form method="post" action="/register/name"><input type="hidden" name="token" value="{registration_token}">
<label>Name <input name="name" autocomplete="name"></label><button>Create the account</button></form>"#
    ))
    .into_response()
}

#[derive(Deserialize)]
pub struct Named {
    token: String,
    name: String,
}

pub async fn register(
    browser: Browser<Account>,
    Form(form): Form<Named>,
) -> Result<(SetCookies, Redirect), AuthError> {
    let newcomer = PasswordlessForm::new().with_name(form.name);
    let cookies = browser.register_passwordless(&form.token, newcomer).await?;
    Ok((cookies, Redirect::to("/")))
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
    use crate::support::database;
    use axum::Router;
    use axum::routing::{get, post};
    use axum_auth_module::CurrentUser;
    use axum_auth_module::testing::{self, Browser as TestBrowser};
    use serde_json::Value;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    /// The application, with its mails in this directory.
    async fn app(outbox: &Path) -> (AuthModule<Account>, Router) {
        let mailer = Mailer::files(outbox, "Shop <no-reply@example.com>").build().unwrap();
        let auth = module(testing::config().build().unwrap(), database().await, mailer).await.unwrap();
        let app = Router::new()
            .route("/login", post(ask))
            .route("/login/code", post(sign_in))
            .route("/register/name", post(super::register))
            .route("/me", get(async |CurrentUser(account): CurrentUser<Account>| account.email))
            .nest("/auth", auth.router())
            .with_state(auth.clone());
        (auth, app)
    }

    fn outbox(name: &str) -> PathBuf {
        env::temp_dir().join(format!("guide-{name}-{}", std::process::id()))
    }

    /// The value of the hidden field of a page.
    fn hidden(page: &str) -> &str {
        let (_, rest) = page.split_once("value=\"").unwrap();
        rest.split_once('"').unwrap().0
    }

    /// The code in the only mail.
    async fn code(auth: &AuthModule<Account>, outbox: &Path) -> String {
        auth.background_work_finished().await;
        let mail = fs::read_dir(outbox).unwrap().next().unwrap().unwrap();
        let mail = fs::read_to_string(mail.path()).unwrap();
        let is_code = |line: &&str| line.len() == 9 && line.replace(' ', "").parse::<u64>().is_ok();
        mail.lines().find(is_code).unwrap().to_owned()
    }

    /// A visitor of pages without scripts types the code of the mail.
    #[tokio::test]
    async fn a_code_typed_into_a_form_signs_in() {
        let outbox = outbox("sign-in-by-mail");
        let (auth, app) = app(&outbox).await;
        crate::support::register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        let browser = TestBrowser::new(app);
        let page = browser.post("/login").form([("email", "ada@example.com")]).await.expect(200).text();
        let code = code(&auth, &outbox).await;
        browser.post("/login/code").form([("flow", hidden(&page)), ("code", &code)]).await.expect(303);
        assert_eq!(browser.get("/me").await.expect(200).text(), "ada@example.com");
        fs::remove_dir_all(&outbox).unwrap();
    }

    #[tokio::test]
    async fn a_code_typed_into_a_form_registers() {
        let outbox = outbox("register-by-mail");
        let (auth, app) = app(&outbox).await;
        let browser = TestBrowser::new(app);
        let page = browser.post("/login").form([("email", "ada@example.com")]).await.expect(200).text();
        let code = code(&auth, &outbox).await;
        let form = [("flow", hidden(&page)), ("code", &*code)];
        let page = browser.post("/login/code").form(form).await.expect(200).text();
        browser.post("/register/name").form([("token", hidden(&page)), ("name", "Ada")]).await.expect(303);
        assert_eq!(browser.get("/me").await.expect(200).text(), "ada@example.com");
        fs::remove_dir_all(&outbox).unwrap();
    }

    #[test]
    fn mails_have_links_alone() {
        assert!(links_only(testing::config()).build().is_ok());
    }
}
