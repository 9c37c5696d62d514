//! "Deleted rows" of `docs/guide/existing-user-table.md`.

use axum::Router;
use axum_auth_module::sql::{SqlUsers, Table, migrate_only};
use axum_auth_module::{AuthConfig, AuthUser, BoxError, StandardActions, auth_module};
use chrono::{DateTime, Utc};
use sqlx::SqlitePool;

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct Customer {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
    #[auth(suspended_at)]
    pub deleted_at: Option<DateTime<Utc>>,
}

pub async fn customers(pool: SqlitePool) -> Result<SqlUsers<Customer>, BoxError> {
    migrate_only(&pool, Table::WITHOUT_USERS).await?;
    let customers = SqlUsers::<Customer>::new(pool).table("customers")?;
    customers.check().await?;
    Ok(customers)
}

pub async fn app(config: AuthConfig, pool: SqlitePool) -> Result<Router, BoxError> {
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION],
        user_repo: customers(pool).await?,
        actions: StandardActions,
    };
    Ok(Router::new().nest("/auth", auth.router()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{database, log_in, register};
    use axum_auth_module::testing;
    use serde_json::Value;

    const PAGE: &str = include_str!("../../../../docs/guide/existing-user-table.md");

    /// Ada, whose first account is deleted, and Bob, whose account is deleted. All hashes are of "correct horse".
    const TABLE: &str = "
        CREATE TABLE customers (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, email TEXT NOT NULL, password TEXT NOT NULL,
            email_verified_at TEXT, two_factor_secret TEXT, two_factor_recovery_codes TEXT,
            two_factor_confirmed_at TEXT, password_confirmed_at TEXT, deleted_at TEXT
        );
        CREATE UNIQUE INDEX of_the_living ON customers (email) WHERE deleted_at IS NULL;
        INSERT INTO customers (name, email, password, deleted_at) VALUES
            ('Ada', 'ada@example.com', '$2a$10$/R0kcvYHMb5eKtf6kXAzJulZagYlLjD7VFgAWBtt2EwsEh3f4mZe2', '2024-01-01T00:00:00Z'),
            ('Ada', 'ada@example.com', '$2a$10$/R0kcvYHMb5eKtf6kXAzJulZagYlLjD7VFgAWBtt2EwsEh3f4mZe2', NULL),
            ('Bob', 'bob@example.com', '$2a$10$/R0kcvYHMb5eKtf6kXAzJulZagYlLjD7VFgAWBtt2EwsEh3f4mZe2', '2024-01-01T00:00:00Z');";

    /// The statement of the page that begins with this word.
    fn statement(begin: &str) -> &'static str {
        let section = PAGE.split("\n## Deleted rows\n").nth(1).unwrap();
        let block = section.split("\n```sql\n").skip(1).find(|block| block.starts_with(begin)).unwrap();
        block.split("\n```").next().unwrap()
    }

    async fn table() -> SqlitePool {
        let pool = database().await;
        sqlx::raw_sql(TABLE).execute(&pool).await.unwrap();
        pool
    }

    #[tokio::test]
    async fn the_partial_index_does_not_count() {
        let error = customers(table().await).await.err().unwrap().to_string();
        assert!(error.contains("no unique index has \"email\" as its only column"), "{error}");
        // With the index that the error asks for, no address could be deleted and alive.
        let pool = table().await;
        let index = "CREATE UNIQUE INDEX customers_email ON customers (email)";
        assert!(sqlx::raw_sql(index).execute(&pool).await.is_err());
    }

    #[tokio::test]
    async fn deleted_rows_with_other_addresses_are_in_nobodys_way() {
        let pool = table().await;
        sqlx::raw_sql(statement("UPDATE customers SET email")).execute(&pool).await.unwrap();
        let index = "CREATE UNIQUE INDEX customers_email ON customers (email)";
        sqlx::raw_sql(index).execute(&pool).await.unwrap();
        let app = app(testing::config().bcrypt_cost(10).build().unwrap(), pool).await.unwrap();
        assert_eq!(log_in(&app, "ada@example.com", "correct horse").await.0, 200);
        assert_eq!(log_in(&app, "bob@example.com", "correct horse").await.0, 401);
        assert_eq!(log_in(&app, "deleted-3@example.invalid", "correct horse").await.0, 401);
        register(&app, "/auth/register", "bob@example.com", Value::Null).await;
    }

    #[tokio::test]
    async fn a_generated_column_says_which_accounts_are_active() {
        let pool = table().await;
        sqlx::raw_sql(statement("ALTER TABLE customers")).execute(&pool).await.unwrap();
        let active: Vec<bool> =
            sqlx::query_scalar("SELECT active FROM customers ORDER BY id").fetch_all(&pool).await.unwrap();
        assert_eq!(active, [false, true, false]);
    }
}
