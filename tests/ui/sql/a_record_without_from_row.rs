//! `SqlUsers` reads records with `sqlx::FromRow`, which this one does not implement.

use axum_auth_module::AuthUser;
use axum_auth_module::sql::SqlUsers;
use chrono::{DateTime, Utc};
use sqlx::MySqlPool;

#[derive(Clone, AuthUser)]
struct Account {
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

fn users(pool: &MySqlPool) -> SqlUsers<Account> {
    SqlUsers::<Account>::new(pool.clone())
}

fn main() {
    let _ = users;
}
