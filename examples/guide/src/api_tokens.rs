//! `docs/guide/api-tokens.md`

use axum_auth_module::config::ApiScopes;
use axum_auth_module::extract::ApiScope;
use axum_auth_module::sql::{SqlApiTokens, SqlSessions, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, BoxError, StandardActions, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;

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
}

pub struct OrdersRead;

impl ApiScope for OrdersRead {
    const SCOPE: &'static str = "orders:read";
}

pub struct OrdersWrite;

impl ApiScope for OrdersWrite {
    const SCOPE: &'static str = "orders:write";
}

pub async fn module(config: AuthConfig, pool: SqlitePool) -> Result<AuthModule<Account>, BoxError> {
    Ok(auth_module! {
        config: config,
        features: [REGISTRATION, SESSIONS, API_TOKENS],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        api_token_repo: SqlApiTokens::new(pool),
        api_scopes: ApiScopes::new([OrdersRead::SCOPE, OrdersWrite::SCOPE])?,
        actions: StandardActions,
    })
}

use axum::Router;
use axum::routing::{get, post};
use axum_auth_module::extract::{ApiUser, UserOrApi, WithBody};

pub fn routes() -> Router<AuthModule<Account>> {
    Router::new().route("/orders", get(orders)).route("/orders", post(order))
}

async fn orders(user: UserOrApi<Account, OrdersRead>) -> String {
    match &user {
        UserOrApi::Session(_) => format!("your orders, {}", user.name),
        UserOrApi::ApiToken(caller) => format!("the orders of {}, for {}", user.name, caller.token.name),
    }
}

async fn order(WithBody(caller, item): WithBody<ApiUser<Account, OrdersWrite>, String>) -> String {
    format!("{item} for {}", caller.user.name)
}

use axum_auth_module::AuthError;

pub async fn revoke_all(auth: &AuthModule<Account>, id: &String) -> Result<u64, AuthError> {
    auth.admin().revoke_api_tokens(id).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, register};
    use axum_auth_module::testing;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn a_program_reads_orders_until_its_token_is_revoked() {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let auth = module(testing::config().build().unwrap(), pool).await.unwrap();
        let app = routes().nest("/auth", auth.router()).with_state(auth.clone());
        let session = register(&app, "/auth/register", "ada@example.com", json!({})).await;
        let confirmation = json!({ "password": "correct horse" });
        assert_eq!(call(&app, "POST", "/auth/user/confirm-password", &session, confirmation).await.0, 200);
        let body = json!({ "name": "Backup", "scopes": ["orders:read"] });
        let (status, created) = call(&app, "POST", "/auth/user/api-tokens", &session, body).await;
        assert_eq!(status, 201, "{created}");
        let token = created["token"].as_str().unwrap();

        let read = async |token: &str| call(&app, "GET", "/orders", token, Value::Null).await;
        assert_eq!(read(token).await, (200, json!("the orders of Ada, for Backup")));
        assert_eq!(read(&session).await, (200, json!("your orders, Ada")));
        let (status, refused) = call(&app, "POST", "/orders", token, json!("a book")).await;
        assert_eq!((status, &refused["code"]), (403, &json!("insufficient_scope")));
        let body = json!({ "name": "Shop", "scopes": ["orders:write"] });
        let (_, other) = call(&app, "POST", "/auth/user/api-tokens", &session, body).await;
        let ordered = call(&app, "POST", "/orders", other["token"].as_str().unwrap(), json!("a book")).await;
        assert_eq!(ordered, (200, json!("\"a book\" for Ada")));

        let user = testing_user(&auth, &session).await;
        assert_eq!(revoke_all(&auth, &user).await.unwrap(), 2);
        let (status, refused) = read(token).await;
        assert_eq!((status, &refused["code"]), (401, &json!("invalid_api_token")));
    }

    async fn testing_user(auth: &AuthModule<Account>, session: &str) -> String {
        auth.authenticate(session).await.unwrap().user().id_text()
    }
}
