//! Without the derive, only the compiler can report the attribute.

use std::time::SystemTime;

#[derive(Clone)]
struct Account {
    id: i64,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(name)]
    display_name: String,
}

fn main() {}
