//! `docs/guide/languages.md`

use axum_auth_module::error::ErrorCode;
use axum_auth_module::languages::{InvalidLanguage, Messages, TextKey};

pub fn messages() -> Result<Messages, InvalidLanguage> {
    let own_words = Messages::language("de", |text| match text {
        TextKey::Error(ErrorCode::TooManyAttempts) => Some("Bitte machen Sie eine kurze Pause."),
        _ => None,
    })?;
    Ok(Messages::english().and(Messages::german()).and(own_words))
}

use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::async_trait;
use axum_auth_module::error::FieldErrors;
use axum_auth_module::user::NewUser;

/// Stores the language of the registration with the user.
pub struct RegisterWithLanguage;

#[async_trait]
impl CreatesNewUsers<Account> for RegisterWithLanguage {
    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        if data.name.as_str() == "admin" {
            let sentence = match context.language().tag() {
                "de" => "Dieser Name ist vergeben.",
                _ => "This name is taken.",
            };
            return Err(FieldErrors::one("name", "reserved", sentence).into());
        }
        let hash = context.passwords().hash(&data.password).await?;
        let user = NewUser::new(data.name, data.email, hash).with_extra("locale", context.language().tag());
        Ok(context.users().create(user).await?)
    }
}

use axum_auth_module::sql::{SqlSessions, SqlUsers};
use axum_auth_module::{AuthConfig, AuthUser, BoxError, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Account {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
    #[auth(language)]
    pub locale: Option<String>,
}

const TABLE: &str = "CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    email_verified_at TEXT,
    two_factor_secret TEXT,
    two_factor_recovery_codes TEXT,
    two_factor_confirmed_at TEXT,
    password_confirmed_at TEXT,
    locale TEXT
) STRICT";

pub async fn module(config: AuthConfig, pool: SqlitePool) -> Result<AuthModule<Account>, BoxError> {
    sqlx::query(TABLE).execute(&pool).await?;
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool),
        actions: RegisterWithLanguage,
        messages: messages()?,
    })
}

use axum::{Extension, Router, routing::get};
use axum_auth_module::languages::Language;
use axum_auth_module::{AuthModule, CurrentUser};

pub fn app(auth: AuthModule<Account>) -> Router {
    let own_routes = Router::new().route("/me", get(me)).route("/greeting", get(greeting));
    Router::new().nest("/auth", auth.router()).merge(auth.with_languages(own_routes)).with_state(auth)
}

/// Without a login, this is a 401 in the visitor's language.
async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

/// The host's own texts in the visitor's language.
async fn greeting(Extension(language): Extension<Language>) -> &'static str {
    match language.tag() {
        "de" => "Willkommen",
        _ => "Welcome",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::database;
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use axum_auth_module::testing;
    use serde_json::{Value, json};
    use tower::ServiceExt;

    #[test]
    fn no_language_lacks_a_text() {
        assert_eq!(messages().unwrap().missing(), []);
    }

    async fn in_german(app: &Router, method: &str, path: &str, body: Value) -> String {
        let request = Request::builder().method(method).uri(path).header("accept-language", "de-AT");
        let request = request.header("content-type", "application/json").body(Body::from(body.to_string()));
        let response = app.clone().oneshot(request.unwrap()).await.unwrap();
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        String::from_utf8(body.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn everything_is_in_the_visitors_language() {
        let pool = database().await;
        let auth = module(testing::config().build().unwrap(), pool.clone()).await.unwrap();
        let app = app(auth);
        let registration = |name: &str| {
            let password = "correct horse";
            let email = format!("{name}@example.com");
            json!({ "name": name, "email": email, "password": password, "passwordConfirmation": password })
        };
        let refused = in_german(&app, "POST", "/auth/register", registration("admin")).await;
        assert!(refused.contains("Dieser Name ist vergeben."), "{refused}");
        in_german(&app, "POST", "/auth/register", registration("ada")).await;
        let stored: String = sqlx::query_scalar("SELECT locale FROM users").fetch_one(&pool).await.unwrap();
        assert_eq!(stored, "de");
        let refused = in_german(&app, "GET", "/me", Value::Null).await;
        assert!(refused.contains("Bitte melden Sie sich an."), "{refused}");
        assert_eq!(in_german(&app, "GET", "/greeting", Value::Null).await, "Willkommen");
    }
}
