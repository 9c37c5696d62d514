//! Each is reported once, at the type.

use auth::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: Vec<u8>,
    email: Option<String>,
    password: String,
    email_verified_at: SystemTime,
    two_factor_secret: String,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<i64>,
}

fn main() {}
