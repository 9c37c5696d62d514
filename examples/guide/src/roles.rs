//! `docs/guide/roles.md`

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum_auth_module::extract::AuthState;
use axum_auth_module::{AuthError, CurrentUser};

/// A colleague: somebody whose column `role` says so.
pub struct Staff(pub Account);

impl<S: AuthState<Account>> FromRequestParts<S> for Staff {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let user = <CurrentUser<Account> as FromRequestParts<S>>::from_request_parts(parts, state);
        let CurrentUser(account) = user.await?;
        match account.role.as_str() {
            "staff" => Ok(Self(account)),
            _ => Err(AuthError::NotAllowed {
                reason: "staff_only".into(),
                detail: "This is for our staff.".into(),
            }),
        }
    }
}

async fn orders(Staff(colleague): Staff) -> String {
    format!("the orders of all customers, for {}", colleague.name)
}

use axum::extract::FromRef;
use axum::{Router, routing::get};
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, StandardActions, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;

#[derive(Clone, Default, AuthUser, sqlx::FromRow)]
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
    pub role: String,
}

#[derive(Clone, FromRef)]
pub struct App {
    auth: AuthModule<Account>,
}

pub fn app(config: AuthConfig, pool: SqlitePool) -> Router {
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
    };
    Router::new().route("/orders", get(orders)).nest("/auth", auth.router()).with_state(App { auth })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, register};
    use axum_auth_module::testing;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn a_role_counts_from_the_next_request_on_and_is_no_field_of_a_registration() {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let column = "ALTER TABLE users ADD COLUMN role text NOT NULL DEFAULT 'customer'";
        sqlx::query(column).execute(&pool).await.unwrap();
        let app = app(testing::config().build().unwrap(), pool.clone());
        let token = register(&app, "/auth/register", "ada@example.com", json!({ "role": "staff" })).await;
        let (status, refused) = call(&app, "GET", "/orders", &token, Value::Null).await;
        let code = |response: &Value| (response["code"].clone(), response["reason"].clone());
        assert_eq!((status, code(&refused)), (403, ("not_allowed".into(), "staff_only".into())));
        assert_eq!(call(&app, "GET", "/orders", "", Value::Null).await.0, 401);
        for (role, expected) in [("staff", 200), ("customer", 403)] {
            sqlx::query("UPDATE users SET role = ?").bind(role).execute(&pool).await.unwrap();
            assert_eq!(call(&app, "GET", "/orders", &token, Value::Null).await.0, expected, "{role}");
        }
    }
}
