//! A time that says since when an account is deleted has a role of its own.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(is_active)]
    deleted_at: Option<SystemTime>,
}

fn main() {}
