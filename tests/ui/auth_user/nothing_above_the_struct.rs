//! The attribute above the struct needs the path to the library.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
#[auth]
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
}

fn main() {}
