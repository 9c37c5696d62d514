//! Roles are written with underscores.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    password: String,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(email-verified)]
    verified: Option<SystemTime>,
    #[auth(two-factor-secret)]
    secret: Option<String>,
}

fn main() {}
