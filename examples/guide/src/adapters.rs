//! `docs/adapters.md`: a repository of users

use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::user::{NewUser, UserChange, UserField, UserPatch};
use axum_auth_module::{AuthUser, async_trait};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{QueryBuilder, Sqlite, SqlitePool};

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
    pub plan: String,
}

/// The accounts in a table of our own.
pub struct Accounts(pub SqlitePool);

#[async_trait]
impl UserRepository for Accounts {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        let select = sqlx::query_as("SELECT * FROM accounts WHERE id = ?").bind(id);
        select.fetch_optional(&self.0).await.map_err(failure)
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        let mut select = QueryBuilder::<Sqlite>::new("SELECT * FROM accounts WHERE ");
        select.push(column(field)).push(" = ").push_bind(value.to_owned());
        select.build_query_as().fetch_optional(&self.0).await.map_err(failure)
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        let plan = user.extra.get("plan").and_then(Value::as_str).unwrap_or("free");
        let insert = "INSERT INTO accounts (name, email, password, plan) VALUES (?, ?, ?, ?) RETURNING *";
        let insert = sqlx::query_as(insert).bind(user.name).bind(user.email).bind(user.password).bind(plan);
        insert.fetch_one(&self.0).await.map_err(failure)
    }

    /// One statement, which checks the conditions and writes the fields: nothing can happen in between.
    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        // The first assignment changes nothing, so that a patch without changes is a statement, too.
        let mut update = QueryBuilder::<Sqlite>::new("UPDATE accounts SET id = id");
        for change in patch.changes() {
            update.push(", ").push(column(change.field())).push(" = ");
            push_value(&mut update, change)?;
        }
        update.push(" WHERE id = ").push_bind(*patch.id());
        for condition in patch.conditions() {
            // `IS` is SQLite's comparison for which null is equal to null.
            update.push(" AND ").push(column(condition.field())).push(" IS ");
            push_value(&mut update, condition)?;
        }
        update.push(" RETURNING *");
        if let Some(saved) = update.build_query_as().fetch_optional(&self.0).await.map_err(failure)? {
            return Ok(saved);
        }
        match self.find_by_id(patch.id()).await? {
            Some(_) => Err(RepositoryError::Stale),
            None => Err(RepositoryError::other("no account has this id")),
        }
    }
}

/// The column of a field. It has the name of the struct's field.
fn column(field: UserField) -> &'static str {
    Account::FIELD_NAMES.of(field)
}

/// The value of a change or of a condition.
fn push_value(query: &mut QueryBuilder<Sqlite>, change: &UserChange) -> Result<(), RepositoryError> {
    match change {
        UserChange::Name(text) | UserChange::Email(text) | UserChange::Password(text) => {
            query.push_bind(text.clone())
        }
        UserChange::TwoFactorSecret(text) | UserChange::TwoFactorRecoveryCodes(text) => {
            query.push_bind(text.clone())
        }
        UserChange::EmailVerifiedAt(time)
        | UserChange::TwoFactorConfirmedAt(time)
        | UserChange::PasswordConfirmedAt(time) => query.push_bind(time.map(DateTime::<Utc>::from)),
        _ => return Err(RepositoryError::other("a field that this adapter does not know")),
    };
    Ok(())
}

/// What the library has to know about an error of the database.
fn failure(error: sqlx::Error) -> RepositoryError {
    match error {
        // `email` is the only column with a unique index, apart from the id.
        sqlx::Error::Database(error) if error.is_unique_violation() => RepositoryError::EmailTaken,
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => RepositoryError::Unavailable(error.into()),
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::Accounts;
    use axum_auth_module::testing::conformance::{self, Failures};
    use sqlx::sqlite::SqlitePoolOptions;

    #[tokio::test(flavor = "multi_thread")]
    async fn accounts_are_stored_as_the_library_requires() -> Result<(), Failures> {
        // A database in memory has one connection. With a server, let several compete.
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        sqlx::query(TABLE).execute(&pool).await.unwrap();
        conformance::users(Accounts(pool)).await
    }

    const TABLE: &str = "CREATE TABLE accounts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        email TEXT NOT NULL UNIQUE,
        password TEXT NOT NULL,
        email_verified_at TEXT,
        two_factor_secret TEXT,
        two_factor_recovery_codes TEXT,
        two_factor_confirmed_at TEXT,
        password_confirmed_at TEXT,
        plan TEXT NOT NULL
    )";
}
