//! sqlx cannot read the times of jiff.

use axum_auth_module::AuthUser;
use axum_auth_module::sql::SqlUsers;
use sqlx::MySqlPool;

#[derive(Clone, AuthUser, sqlx::FromRow)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<jiff::Timestamp>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<jiff::Timestamp>,
    password_confirmed_at: Option<jiff::Timestamp>,
}

fn users(pool: MySqlPool) -> SqlUsers<Account> {
    SqlUsers::new(pool)
}

fn main() {
    let _ = users;
}
