//! `docs/guide/several-user-types.md`

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Customer {
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

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Employee {
    pub id: String,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
    pub desk: Option<String>,
}

use axum::extract::FromRef;
use axum_auth_module::{AuthModule, CurrentUser};

#[derive(Clone, FromRef)]
pub struct App {
    customers: AuthModule<Customer>,
    employees: AuthModule<Employee>,
}

async fn cart(CurrentUser(customer): CurrentUser<Customer>) -> String {
    format!("the cart of {}", customer.name)
}

async fn orders(CurrentUser(employee): CurrentUser<Employee>) -> String {
    format!("the orders, for {}", employee.name)
}

use axum::{Router, routing::get};
use axum_auth_module::sql::{SqlSessions, SqlStore, SqlUsers, Table, migrate_only};
use axum_auth_module::{AuthConfig, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;

pub async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    migrate_only(&pool, Table::WITHOUT_USERS).await?;
    let customers = auth_module! {
        config: config.clone(),
        features: [REGISTRATION],
        user_repo: SqlUsers::<Customer>::new(pool.clone()).table("customers")?,
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool.clone()),
        actions: StandardActions,
    };
    let employees = auth_module! {
        config: config,
        // Nobody registers: the office creates the accounts.
        features: [TWO_FACTOR_AUTHENTICATION, UPDATE_PASSWORDS],
        user_repo: SqlUsers::<Employee>::new(pool.clone()).table("employees")?,
        session_repo: SqlSessions::new(pool.clone()),
        store: SqlStore::new(pool),
        actions: StandardActions,
    };
    Ok(Router::new()
        .route("/cart", get(cart))
        .route("/orders", get(orders))
        .nest("/auth", customers.router())
        .nest("/staff/auth", employees.router())
        .with_state(App { customers, employees }))
}

use axum_auth_module::config::{AuthConfigBuilder, BrowserOptions};

pub fn cookies_of_employees(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.browser(BrowserOptions::default().name("staff"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, register};
    use axum_auth_module::testing;
    use serde_json::{Value, json};

    async fn host() -> Router {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        // Two tables like the library's.
        sqlx::raw_sql(
            "ALTER TABLE users RENAME TO customers;
            CREATE TABLE employees (
                id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
                name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, password TEXT NOT NULL, email_verified_at TEXT,
                two_factor_secret TEXT, two_factor_recovery_codes TEXT, two_factor_confirmed_at TEXT,
                password_confirmed_at TEXT, desk TEXT
            )",
        )
        .execute(&pool)
        .await
        .unwrap();
        let app = app(testing::config().build().unwrap(), pool.clone()).await.unwrap();
        // The same person is a customer and an employee, with one address and one password.
        register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        sqlx::raw_sql("INSERT INTO employees (name, email, password) SELECT 'Ms Lovelace', email, password FROM customers")
            .execute(&pool)
            .await
            .unwrap();
        app
    }

    async fn token(app: &Router, login: &str) -> String {
        let body = json!({ "email": "ada@example.com", "password": "correct horse" });
        let (status, response) = call(app, "POST", login, "", body).await;
        assert_eq!(status, 200, "{response}");
        response["accessToken"].as_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn a_token_of_one_kind_is_not_one_of_the_other() {
        let app = host().await;
        let customer = token(&app, "/auth/login").await;
        let employee = token(&app, "/staff/auth/login").await;
        let get = async |path: &str, token: &str| call(&app, "GET", path, token, Value::Null).await;
        assert_eq!(get("/cart", &customer).await, (200, "the cart of Ada".into()));
        assert_eq!(get("/orders", &employee).await, (200, "the orders, for Ms Lovelace".into()));
        assert_eq!(get("/orders", &customer).await.0, 401);
        assert_eq!(get("/cart", &employee).await.0, 401);
    }

    #[tokio::test]
    async fn wrong_guesses_at_customers_lock_out_no_employee() {
        let app = host().await;
        let wrong = json!({ "email": "ada@example.com", "password": "battery staple" });
        for _ in 0..5 {
            assert_eq!(call(&app, "POST", "/auth/login", "", wrong.clone()).await.0, 401);
        }
        assert_eq!(call(&app, "POST", "/auth/login", "", wrong).await.0, 429);
        token(&app, "/staff/auth/login").await;
    }
}
