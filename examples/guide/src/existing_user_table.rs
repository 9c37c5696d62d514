//! `docs/guide/existing-user-table.md`

pub mod deleted_rows;

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Member {
    pub id: i64,
    #[auth(name)]
    pub full_name: String,
    #[sqlx(rename = "mail")]
    pub email: String,
    #[auth(password)]
    pub password_hash: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
    #[auth(is_active)]
    pub enabled: bool,
    pub plan: String,
}

use axum_auth_module::BoxError;
use axum_auth_module::sql::{SqlUsers, Table, migrate_only};
use axum_auth_module::user::UserField;
use sqlx::SqlitePool;

pub async fn members(pool: SqlitePool) -> Result<SqlUsers<Member>, BoxError> {
    migrate_only(&pool, Table::WITHOUT_USERS).await?;
    let members = SqlUsers::<Member>::new(pool).table("members")?.column(UserField::Email, "mail")?;
    members.check().await?;
    Ok(members)
}

use axum::extract::FromRef;
use axum::{Router, routing::get};
use axum_auth_module::{AuthConfig, AuthModule, CurrentUser, StandardActions, auth_module};

#[derive(Clone, FromRef)]
pub struct App {
    auth: AuthModule<Member>,
}

async fn me(CurrentUser(member): CurrentUser<Member>) -> String {
    format!("{} is member {} with plan {}", member.full_name, member.id, member.plan)
}

pub async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, UPDATE_PASSWORDS],
        user_repo: members(pool).await?,
        actions: StandardActions,
    };
    Ok(Router::new().route("/me", get(me)).nest("/auth", auth.router()).with_state(App { auth }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, log_in, register};
    use axum_auth_module::testing;
    use serde_json::Value;
    use sqlx::AssertSqlSafe;

    const PAGE: &str = include_str!("../../../docs/guide/existing-user-table.md");

    /// The n-th block of this language.
    fn block(language: &str, n: usize) -> &'static str {
        let rest = PAGE.split(&format!("\n```{language}\n")).nth(n + 1).unwrap();
        rest.split("\n```").next().unwrap()
    }

    /// The table of the page with some members, whose hashes are of "correct horse".
    async fn table_of_the_page() -> SqlitePool {
        let pool = database().await;
        sqlx::raw_sql(block("sql", 0)).execute(&pool).await.unwrap();
        sqlx::raw_sql(block("sql", 1)).execute(&pool).await.unwrap();
        pool
    }

    #[tokio::test]
    async fn the_check_says_what_the_page_says() {
        let pool = table_of_the_page().await;
        let error = members(pool.clone()).await.err().unwrap().to_string();
        assert_eq!(error, block("text", 0));
        // The statements below the sentences are what the page says to run.
        let (_, statements) = error.split_once("\n\n").unwrap();
        sqlx::raw_sql(AssertSqlSafe(statements)).execute(&pool).await.unwrap();
        members(pool).await.unwrap();
    }

    async fn host() -> Router {
        let pool = table_of_the_page().await;
        let (_, statements) = block("text", 0).split_once("\n\n").unwrap();
        sqlx::raw_sql(statements).execute(&pool).await.unwrap();
        app(testing::config().bcrypt_cost(10).build().unwrap(), pool).await.unwrap()
    }

    #[tokio::test]
    async fn members_of_before_can_log_in() {
        let app = host().await;
        // bcrypt of PHP, Argon2id, and an address with capitals.
        for email in ["ada@example.com", "Bob@Example.com", "cy@example.com"] {
            let (status, response) = log_in(&app, email, "correct horse").await;
            assert_eq!(status, 200, "{email}: {response}");
            let token = response["accessToken"].as_str().unwrap();
            let (_, me) = call(&app, "GET", "/me", token, Value::Null).await;
            assert!(me.as_str().unwrap().ends_with("with plan gold"), "{me}");
        }
        let (status, _) = log_in(&app, "ada@example.com", "battery staple").await;
        assert_eq!(status, 401);
        // She is not enabled.
        assert_eq!(log_in(&app, "dora@example.com", "correct horse").await.0, 401);
    }

    #[tokio::test]
    async fn an_address_with_capitals_is_the_same_address() {
        let app = host().await;
        let password = "correct horse";
        let again = serde_json::json!({
            "name": "Bob", "email": "BOB@example.com", "password": password, "passwordConfirmation": password,
        });
        let (status, response) = call(&app, "POST", "/auth/register", "", again).await;
        assert_eq!((status, &response["code"]), (409, &"email_taken".into()));
        register(&app, "/auth/register", "eve@example.com", Value::Null).await;
    }

    #[tokio::test]
    async fn a_hash_of_before_is_replaced_by_the_first_login() {
        let pool = table_of_the_page().await;
        let (_, statements) = block("text", 0).split_once("\n\n").unwrap();
        sqlx::raw_sql(statements).execute(&pool).await.unwrap();
        let app = app(testing::config().bcrypt_cost(10).build().unwrap(), pool.clone()).await.unwrap();
        assert_eq!(log_in(&app, "cy@example.com", "correct horse").await.0, 200);
        let hash: String =
            sqlx::query_scalar("SELECT password_hash FROM members WHERE mail = 'cy@example.com'")
                .fetch_one(&pool)
                .await
                .unwrap();
        assert!(hash.starts_with("$2b$"), "{hash}");
    }
}
