//! `docs/guide/user-names.md`

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
    #[auth(username)]
    username: Option<String>, // `String`: every user has one
}

use axum_auth_module::sql::{SqlSessions, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;

pub const ADD_USERNAMES: &str = "
ALTER TABLE users ADD COLUMN username TEXT;
CREATE UNIQUE INDEX users_username ON users (username);
";

pub async fn module(config: AuthConfig, pool: SqlitePool) -> Result<AuthModule<Account>, BoxError> {
    let users = SqlUsers::<Account>::new(pool.clone());
    users.check().await?;
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, UPDATE_PROFILE_INFORMATION, SESSIONS, BROWSER_SESSIONS, USERNAMES],
        user_repo: users,
        session_repo: SqlSessions::new(pool),
        actions: StandardActions,
    })
}

use axum::Form;
use axum::response::{IntoResponse, Redirect, Response};
use axum_auth_module::AuthError;
use axum_auth_module::extract::{Browser, BrowserLogin, Remember};
use serde::Deserialize;

#[derive(Deserialize)]
pub struct LoginForm {
    /// An address or a user name.
    login: String,
    password: String,
}

pub async fn log_in(browser: Browser<Account>, Form(form): Form<LoginForm>) -> Result<Response, AuthError> {
    let outcome = match form.login.contains('@') {
        true => browser.login(&form.login, &form.password, Remember::No).await?,
        false => browser.login_by_username(&form.login, &form.password, Remember::No).await?,
    };
    Ok(match outcome {
        BrowserLogin::Session(cookies) => (cookies, Redirect::to("/")).into_response(),
        BrowserLogin::Challenge(cookies) => (cookies, Redirect::to("/two-factor")).into_response(),
        _ => return Err(AuthError::internal("a step of the login that this page does not have")),
    })
}

use axum_auth_module::config::{AuthConfigBuilder, RESERVED_USERNAMES};

pub fn with_own_names(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.reserved_usernames(RESERVED_USERNAMES.iter().copied().chain(["billing", "moderator"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in, register};
    use axum::Router;
    use axum::body::Body;
    use axum::http::Request;
    use axum::routing::post;
    use axum_auth_module::testing;
    use serde_json::json;
    use tower::ServiceExt;

    const ADA: &str = "ada@example.com";

    #[tokio::test]
    async fn the_check_names_what_is_missing_and_then_users_log_in_by_name() {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let config = || with_own_names(testing::config()).build().unwrap();
        let missing = module(config(), pool.clone()).await.err().unwrap().to_string();
        for statement in ADD_USERNAMES.trim().lines() {
            let quoted =
                statement.replace("users_username", "\"users_username\"").replace(" users ", " \"users\" ");
            let quoted =
                quoted.replace("(username)", "(\"username\")").replace(" username ", " \"username\" ");
            assert!(missing.contains(&quoted), "{quoted} is not in {missing}");
        }
        sqlx::raw_sql(ADD_USERNAMES).execute(&pool).await.unwrap();
        let auth = module(config(), pool).await.unwrap();
        let app = Router::new()
            .route("/login", post(super::log_in))
            .nest("/auth", auth.router())
            .with_state(auth.clone());
        register(&app, "/auth/register", ADA, json!({ "username": "Ada.L" })).await;
        let login = json!({ "username": "ada.l", "password": "correct horse" });
        assert_eq!(call(&app, "POST", "/auth/login", "", login).await.0, 200);
        assert_eq!(log_in(&app, ADA, "correct horse").await.0, 200);
        for typed in [ADA, "ADA.L"] {
            let body = format!("login={typed}&password=correct+horse");
            let request = Request::post("/login").header("sec-fetch-site", "same-origin");
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            let response = app.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
            assert_eq!(
                (response.status().as_u16(), &response.headers()["location"]),
                (303, &"/".parse().unwrap())
            );
        }
        let body = json!({
            "name": "Eve", "email": "eve@example.com", "username": "moderator",
            "password": "correct horse", "passwordConfirmation": "correct horse",
        });
        let (status, refused) = call(&app, "POST", "/auth/register", "", body).await;
        assert_eq!((status, &refused["errors"][0]["code"]), (422, &json!("reserved")));
    }
}
