//! `docs/guide/two-factor.md`

use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;

pub async fn auth(config: AuthConfig, pool: SqlitePool) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, TWO_FACTOR_AUTHENTICATION],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
    })
}

pub fn with_trusted_devices(config: AuthConfig, pool: SqlitePool) -> AuthModule<Account> {
    auth_module! {
        config: config,
        features: [REGISTRATION, TWO_FACTOR_AUTHENTICATION, SESSIONS, TRUSTED_DEVICES],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
    }
}

use axum_auth_module::config::{AuthConfigBuilder, TwoFactorOptions};

pub fn strict(config: AuthConfigBuilder) -> AuthConfigBuilder {
    let mut two_factor = TwoFactorOptions::default();
    two_factor.confirm_with_code = true;
    config.app_name("Shop").two_factor(two_factor)
}

use axum::http::StatusCode;
use axum_auth_module::CurrentUser;

/// Only for users who have a second factor.
async fn payouts(CurrentUser(account): CurrentUser<Account>) -> Result<&'static str, StatusCode> {
    match account.two_factor_confirmed_at {
        Some(_) => Ok("no payouts yet"),
        None => Err(StatusCode::FORBIDDEN),
    }
}

use axum::extract::{Path, State};
use axum_auth_module::AuthError;

/// For the support desk: a user has lost the telephone and the recovery codes. The user's sessions end.
async fn lost_telephone(State(app): State<App>, Path(user): Path<String>) -> Result<(), AuthError> {
    app.auth.admin().reset_two_factor(&user).await
}

use axum::extract::FromRef;
use axum::{Router, routing::get, routing::post};
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

#[derive(Clone, FromRef)]
pub struct App {
    auth: AuthModule<Account>,
}

pub fn app(auth: AuthModule<Account>) -> Router {
    let app = Router::new().route("/payouts", get(payouts));
    let app = app.nest("/auth", auth.router());
    // In your application: behind your own check that the caller is of the support desk.
    let desk = Router::new().route("/users/{user}/lost-telephone", post(lost_telephone));
    app.nest("/desk", desk).with_state(App { auth })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in, register};
    use axum_auth_module::clock::Clock;
    use axum_auth_module::testing::{self, MovableClock};
    use serde_json::{Value, json};
    use std::time::{Duration, UNIX_EPOCH};
    use totp_rs::{Builder, Secret};

    /// The code that an app shows at this time.
    fn code(secret: &str, clock: &MovableClock) -> String {
        let now = clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let bytes = Secret::try_from_base32(secret).unwrap();
        Builder::new().with_secret(bytes).with_digits(6).build().unwrap().generate(now).to_string()
    }

    #[tokio::test]
    async fn from_enabling_to_a_lost_telephone() {
        let clock = MovableClock::new();
        let pool = database().await;
        let config = strict(testing::config()).clock(clock.clone()).build().unwrap();
        let app = app(auth(config, pool.clone()).await.unwrap());
        let mut token = register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        assert_eq!(call(&app, "GET", "/payouts", &token, Value::Null).await.0, 403);

        let enable = "/auth/user/two-factor-authentication";
        let (status, response) = call(&app, "POST", enable, &token, Value::Null).await;
        assert_eq!((status, &response["code"]), (403, &"password_confirmation_required".into()));
        let password = json!({ "password": "correct horse" });
        assert_eq!(call(&app, "POST", "/auth/user/confirm-password", &token, password.clone()).await.0, 200);
        assert_eq!(call(&app, "POST", enable, &token, Value::Null).await.0, 200);
        let (_, key) = call(&app, "GET", "/auth/user/two-factor-secret-key", &token, Value::Null).await;
        let secret = key["secretKey"].as_str().unwrap().to_owned();
        let (_, qr) = call(&app, "GET", "/auth/user/two-factor-qr-code", &token, Value::Null).await;
        assert!(qr["url"].as_str().unwrap().starts_with("otpauth://totp/Shop:ada"), "{qr}");
        let (_, codes) = call(&app, "GET", "/auth/user/two-factor-recovery-codes", &token, Value::Null).await;

        let confirm = json!({ "code": code(&secret, &clock) });
        let (status, response) =
            call(&app, "POST", "/auth/user/confirmed-two-factor-authentication", &token, confirm).await;
        assert_eq!(status, 200, "{response}");
        token = response["accessToken"].as_str().unwrap().to_owned();
        assert_eq!(call(&app, "GET", "/payouts", &token, Value::Null).await.0, 200);

        // The next login needs a code: of the app, or one of the eight.
        clock.advance(Duration::from_secs(60));
        for second in [json!({ "code": code(&secret, &clock) }), json!({ "recoveryCode": codes[0] })] {
            let (_, login) = log_in(&app, "ada@example.com", "correct horse").await;
            assert_eq!(login["twoFactor"], true, "{login}");
            let mut body = second;
            body["challengeToken"] = login["challengeToken"].clone();
            let (status, response) = call(&app, "POST", "/auth/two-factor-challenge", "", body).await;
            assert_eq!(status, 200, "{response}");
            token = response["accessToken"].as_str().unwrap().to_owned();
        }

        // Turning it off needs the password and a code.
        let (status, response) = call(&app, "DELETE", enable, &token, Value::Null).await;
        assert_eq!((status, &response["code"]), (403, &"password_confirmation_required".into()));
        assert_eq!(response["methods"].as_array().map(Vec::len), Some(2), "{response}");

        let id: String = sqlx::query_scalar("SELECT id FROM users").fetch_one(&pool).await.unwrap();
        let lost = format!("/desk/users/{id}/lost-telephone");
        assert_eq!(call(&app, "POST", &lost, "", Value::Null).await.0, 200);
        assert_eq!(call(&app, "GET", "/payouts", &token, Value::Null).await.0, 401);
        assert_eq!(log_in(&app, "ada@example.com", "correct horse").await.1["twoFactor"], false);
    }

    #[tokio::test]
    async fn a_code_is_asked_for_once_on_a_device_of_the_user() {
        let clock = MovableClock::new();
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let config = testing::config().clock(clock.clone()).build().unwrap();
        let app = app(with_trusted_devices(config, pool));
        let email = "ada@example.com";
        let token = register(&app, "/auth/register", email, Value::Null).await;
        let post = |path: &'static str, body| call(&app, "POST", path, &token, body);
        assert_eq!(post("/auth/user/confirm-password", json!({ "password": "correct horse" })).await.0, 200);
        assert_eq!(post("/auth/user/two-factor-authentication", Value::Null).await.0, 200);
        let (_, key) = call(&app, "GET", "/auth/user/two-factor-secret-key", &token, Value::Null).await;
        let secret = key["secretKey"].as_str().unwrap().to_owned();
        let confirm = json!({ "code": code(&secret, &clock) });
        assert_eq!(post("/auth/user/confirmed-two-factor-authentication", confirm).await.0, 200);

        clock.advance(Duration::from_secs(60));
        let (_, login) = log_in(&app, email, "correct horse").await;
        let challenge = &login["challengeToken"];
        let body = json!({ "challengeToken": challenge, "code": code(&secret, &clock), "trustDevice": true });
        let (status, response) = call(&app, "POST", "/auth/two-factor-challenge", "", body).await;
        assert_eq!(status, 200, "{response}");

        let login =
            json!({ "email": email, "password": "correct horse", "deviceToken": response["deviceToken"] });
        let (_, here) = call(&app, "POST", "/auth/login", "", login).await;
        assert_eq!(here["twoFactor"], false, "{here}");
        assert_eq!(log_in(&app, email, "correct horse").await.1["twoFactor"], true, "on another device");
        let token = here["accessToken"].as_str().unwrap();
        let (_, listed) = call(&app, "GET", "/auth/user/trusted-devices", token, Value::Null).await;
        assert_eq!(listed["devices"][0]["current"], true, "{listed}");
    }
}
