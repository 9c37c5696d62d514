//! PostgreSQL has no unsigned integers.

use axum_auth_module::AuthUser;
use axum_auth_module::sql::SqlUsers;
use chrono::{DateTime, Utc};
use sqlx::PgPool;

#[derive(Clone, AuthUser, sqlx::FromRow)]
struct Account {
    id: u64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}

fn users(pool: PgPool) -> SqlUsers<Account> {
    SqlUsers::new(pool)
}

fn main() {
    let _ = users;
}
