//! Mistakes of different kinds are named at once.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    email: String,
    email_verified_at: bool,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(passwrd)]
    hash: Vec<u8>,
}

fn main() {}
