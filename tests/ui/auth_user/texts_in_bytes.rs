//! Whatever holds no text, and what does in each case.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: (String, String),
    email: Vec<u8>,
    password: [u8; 60],
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Vec<u8>,
    two_factor_recovery_codes: Option<Vec<String>>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

fn main() {}
