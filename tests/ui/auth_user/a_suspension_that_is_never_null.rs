//! The time of a suspension is null while the account is active.

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
    #[auth(suspended_at)]
    deleted_at: std::time::SystemTime,
}

fn main() {}
