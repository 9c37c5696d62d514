//! A `bool` and a number are no times, and a time without a time zone is ambiguous.

use axum_auth_module::AuthUser;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: bool,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<chrono::NaiveDateTime>,
    password_confirmed_at: Option<i64>,
}

fn main() {}
