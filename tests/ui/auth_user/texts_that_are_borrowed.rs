//! A user record owns its data.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: &'static str,
    name: &'static str,
    email: &'static String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<&'static str>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

fn main() {}
