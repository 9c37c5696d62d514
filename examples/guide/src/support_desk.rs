//! `docs/guide/support-desk.md`

use crate::roles::{Account, Staff};
use axum::extract::{Path, State};
use axum_auth_module::AuthError;

async fn somebody_else_is_in_it(
    _: Staff,
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<(), AuthError> {
    app.auth.admin().lock_down(&id).await
}

use axum_auth_module::async_trait;
use axum_auth_module::policy::{Policy, PolicyError};

/// Colleagues may act for customers. `actor` is the id of a colleague: the route below checks that.
pub struct Desk;

#[async_trait]
impl Policy<Account> for Desk {
    async fn allows_impersonation(&self, _actor: &str, user: &Account) -> Result<bool, PolicyError> {
        Ok(user.role == "customer")
    }
}

use axum::Json;
use axum_auth_module::Claims;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub struct Reason {
    ticket: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Acting {
    access_token: String,
    refresh_token: String,
}

async fn act_for(
    _: Staff,
    claims: Claims<Account>,
    State(app): State<App>,
    Path(id): Path<String>,
    Json(reason): Json<Reason>,
) -> Result<Json<Acting>, AuthError> {
    let started = app.auth.admin().impersonate(&claims, &id, &reason.ticket).await?;
    let (access_token, refresh_token) = (started.tokens.access_token, started.tokens.refresh_token);
    Ok(Json(Acting { access_token, refresh_token }))
}

/// The id of who pays, and nobody pays for somebody else.
async fn pay(claims: Claims<Account>) -> Result<String, AuthError> {
    match claims.actor() {
        Some(_) => Err(AuthError::NotWhileImpersonating),
        None => Ok(claims.user_id().to_owned()),
    }
}

use axum::extract::FromRef;
use axum::{Router, routing::post};
use axum_auth_module::delivery::{Delivers, PasswordResetMessage};
use axum_auth_module::sql::{SqlPasswordResets, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, StandardActions, auth_module};
use sqlx::SqlitePool;

#[derive(Clone, FromRef)]
pub struct App {
    auth: AuthModule<Account>,
}

pub fn app(config: AuthConfig, pool: SqlitePool, mails: impl Delivers<PasswordResetMessage>) -> Router {
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, UPDATE_PROFILE_INFORMATION, SESSIONS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        password_reset_repo: SqlPasswordResets::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        policy: Desk,
        actions: StandardActions,
        delivery: mails,
    };
    Router::new()
        .route("/pay", post(pay))
        .route("/desk/users/{id}/lock-down", post(somebody_else_is_in_it))
        .route("/desk/users/{id}/act", post(act_for))
        .nest("/auth", auth.router())
        .with_state(App { auth })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in, register};
    use axum_auth_module::testing::{self, Outbox};
    use serde_json::{Value, json};

    #[tokio::test]
    async fn the_desk_acts_for_a_customer_and_locks_an_account_down() {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let column = "ALTER TABLE users ADD COLUMN role text NOT NULL DEFAULT 'customer'";
        sqlx::query(column).execute(&pool).await.unwrap();
        let mails = Outbox::new();
        let app = app(testing::config().build().unwrap(), pool.clone(), mails.clone());
        let customer = register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        let colleague = register(&app, "/auth/register", "grace@example.com", Value::Null).await;
        let role = "UPDATE users SET role = 'staff' WHERE email = 'grace@example.com'";
        sqlx::query(role).execute(&pool).await.unwrap();
        let id = async |email: &str| {
            let found = sqlx::query_scalar("SELECT id FROM users WHERE email = ?").bind(email.to_owned());
            let id: String = found.fetch_one(&pool).await.unwrap();
            id
        };
        let (ada, grace) = (id("ada@example.com").await, id("grace@example.com").await);
        let act = |id: &str| format!("/desk/users/{id}/act");
        let ticket = json!({ "ticket": "Ticket 4711" });
        let refused = call(&app, "POST", &act(&ada), &customer, ticket.clone()).await;
        assert_eq!((refused.0, &refused.1["reason"]), (403, &"staff_only".into()));
        let refused = call(&app, "POST", &act(&grace), &colleague, ticket.clone()).await;
        assert_eq!((refused.0, &refused.1["reason"]), (403, &"oneself".into()));

        let (status, acting) = call(&app, "POST", &act(&ada), &colleague, ticket).await;
        assert_eq!(status, 200, "{acting}");
        let acting = acting["accessToken"].as_str().unwrap();
        let (_, sessions) = call(&app, "GET", "/auth/user/sessions", &customer, Value::Null).await;
        assert_eq!(sessions["sessions"][1]["actor"]["sub"], grace.as_str(), "{sessions}");
        for (method, path) in [("POST", "/pay"), ("PUT", "/auth/user/profile-information")] {
            let (status, refused) = call(&app, method, path, acting, Value::Null).await;
            assert_eq!((status, &refused["code"]), (403, &"not_while_impersonating".into()), "{path}");
        }
        assert_eq!(call(&app, "POST", "/pay", &customer, Value::Null).await.0, 200);

        let lock = format!("/desk/users/{ada}/lock-down");
        assert_eq!(call(&app, "POST", &lock, &colleague, Value::Null).await.0, 200);
        for ended in [&customer, acting] {
            assert_eq!(call(&app, "GET", "/auth/user/sessions", ended, Value::Null).await.0, 401);
        }
        assert_eq!(log_in(&app, "ada@example.com", "correct horse").await.0, 401);
        mails.next_reset("ada@example.com").await;
    }
}
