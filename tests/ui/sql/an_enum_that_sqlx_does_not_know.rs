//! sqlx does not know how an enum of the host is stored.

use axum_auth_module::AuthUser;
use axum_auth_module::sql::SqlUsers;
use chrono::{DateTime, Utc};
use sqlx::PgPool;

#[derive(Clone)]
enum Role {
    Editor,
    Reader,
}

#[derive(Clone, AuthUser, sqlx::FromRow)]
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
    role: Role,
}

fn users(pool: &PgPool) -> SqlUsers<Account> {
    SqlUsers::<Account>::new(pool.clone())
}

fn main() {
    let _ = users;
    let _ = [Role::Editor, Role::Reader];
}
