//! `docs/guide/actions.md`

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

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
    pub country: String,
    pub role: String,
    pub terms_accepted_at: Option<DateTime<Utc>>,
}

use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::async_trait;
use axum_auth_module::error::FieldErrors;
use axum_auth_module::user::NewUser;

/// Registers customers of some countries.
pub struct RegisterCustomer {
    pub countries: &'static [&'static str],
}

#[async_trait]
impl CreatesNewUsers<Account> for RegisterCustomer {
    fn extra_fields(&self) -> &[&'static str] {
        &["country"]
    }

    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        let Some(country) = data.extra.get("country").and_then(|country| country.as_str()) else {
            return Err(FieldErrors::one("country", "required", "Say in which country you live.").into());
        };
        if !self.countries.contains(&country) {
            return Err(FieldErrors::one("country", "not_served", "We do not deliver there.").into());
        }
        let hash = context.passwords().hash(&data.password).await?;
        let user = NewUser::new(data.name.as_str(), data.email.as_str(), hash)
            .with_extra("country", country)
            .with_extra("terms_accepted_at", Utc::now().to_rfc3339());
        Ok(context.users().create(user).await?)
    }
}

use axum_auth_module::StandardActions;
use axum_auth_module::actions::{ProfileData, UpdatesUserProfile};

/// The standard rules, and staff keep the address that their employer gave them.
pub struct UpdateProfile;

#[async_trait]
impl UpdatesUserProfile<Account> for UpdateProfile {
    async fn update(
        &self,
        user: &Account,
        data: ProfileData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        if user.role == "staff" && data.email.as_str() != user.email {
            return Err(FieldErrors::one("email", "fixed", "Ask the office for another address.").into());
        }
        StandardActions.update(user, data, context).await
    }
}

use axum::extract::State;
use axum::http::StatusCode;
use axum_auth_module::{AuthError, ConfirmedUser};

async fn close_account(
    State(app): State<App>,
    ConfirmedUser(account): ConfirmedUser<Account>,
) -> Result<StatusCode, AuthError> {
    app.auth.close_account(&account.id).await?;
    let delete = sqlx::query("DELETE FROM users WHERE id = ?").bind(account.id);
    delete.execute(&app.pool).await.map_err(|error| AuthError::Internal(error.into()))?;
    Ok(StatusCode::NO_CONTENT)
}

use axum::{Router, extract::FromRef, routing::delete};
use axum_auth_module::sql::{SqlSessions, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, auth_module};
use sqlx::SqlitePool;

#[derive(Clone, FromRef)]
pub struct App {
    auth: AuthModule<Account>,
    pool: SqlitePool,
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
    country TEXT NOT NULL,
    role TEXT NOT NULL DEFAULT 'customer',
    terms_accepted_at TEXT
) STRICT";

pub async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    sqlx::query(TABLE).execute(&pool).await?;
    axum_auth_module::sql::migrate(&pool).await?;
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, UPDATE_PROFILE_INFORMATION, UPDATE_PASSWORDS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        actions: {
            CreatesNewUsers: RegisterCustomer { countries: &["AT", "DE"] },
            UpdatesUserProfile: UpdateProfile,
            ..StandardActions
        },
    };
    Ok(Router::new()
        .route("/account", delete(close_account))
        .nest("/auth", auth.router())
        .with_state(App { auth, pool }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in, register};
    use axum_auth_module::testing;
    use serde_json::{Value, json};

    async fn host() -> (Router, SqlitePool) {
        let pool = database().await;
        (app(testing::config().build().unwrap(), pool.clone()).await.unwrap(), pool)
    }

    fn customer(country: &Value) -> Value {
        let password = "correct horse";
        json!({
            "name": "Ada", "email": "ada@example.com", "password": password,
            "passwordConfirmation": password, "country": country, "role": "staff",
        })
    }

    #[tokio::test]
    async fn a_registration_follows_the_hosts_rules() {
        let (app, pool) = host().await;
        for (country, code) in [(json!("US"), "not_served"), (Value::Null, "required")] {
            let (status, response) = call(&app, "POST", "/auth/register", "", customer(&country)).await;
            assert_eq!((status, &response["errors"][0]["code"]), (422, &code.into()), "{response}");
        }
        let (status, response) = call(&app, "POST", "/auth/register", "", customer(&json!("AT"))).await;
        assert_eq!(status, 201, "{response}");
        // `role` is not a field of the action: nobody makes themselves staff.
        let role: String = sqlx::query_scalar("SELECT role FROM users").fetch_one(&pool).await.unwrap();
        assert_eq!(role, "customer");
        let read = "SELECT terms_accepted_at FROM users";
        let accepted: DateTime<Utc> = sqlx::query_scalar(read).fetch_one(&pool).await.unwrap();
        assert!((Utc::now() - accepted).num_seconds().abs() < 60, "{accepted}");
    }

    #[tokio::test]
    async fn staff_keep_their_address() {
        let (app, pool) = host().await;
        let token = register(&app, "/auth/register", "ada@example.com", json!({ "country": "DE" })).await;
        let update = |name: &str, email: &str| {
            let body = json!({ "name": name, "email": email });
            let (app, token) = (app.clone(), token.clone());
            async move { call(&app, "PUT", "/auth/user/profile-information", &token, body).await }
        };
        assert_eq!(update("Ada", "other@example.com").await.0, 200);
        sqlx::query("UPDATE users SET role = 'staff'").execute(&pool).await.unwrap();
        let (status, response) = update("Ada", "third@example.com").await;
        assert_eq!((status, &response["errors"][0]["code"]), (422, &"fixed".into()));
        assert_eq!(update("Ada Lovelace", "other@example.com").await.0, 200);
    }

    #[tokio::test]
    async fn an_account_is_closed_after_the_password_was_confirmed() {
        let (app, _) = host().await;
        let token = register(&app, "/auth/register", "ada@example.com", json!({ "country": "DE" })).await;
        let (status, response) = call(&app, "DELETE", "/account", &token, Value::Null).await;
        assert_eq!((status, &response["code"]), (403, &"password_confirmation_required".into()));
        let password = json!({ "password": "correct horse" });
        assert_eq!(call(&app, "POST", "/auth/user/confirm-password", &token, password).await.0, 200);
        assert_eq!(call(&app, "DELETE", "/account", &token, Value::Null).await.0, 204);
        assert_eq!(call(&app, "DELETE", "/account", &token, Value::Null).await.0, 401);
        assert_eq!(log_in(&app, "ada@example.com", "correct horse").await.0, 401);
    }
}
