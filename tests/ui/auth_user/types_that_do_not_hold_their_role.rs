//! Each of the eight is reported once, at the type: without `Option` where nothing is held at first, and with it where
//! something always is.

use auth::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: Vec<u8>,
    email: Option<String>,
    password: [u8; 60],
    email_verified_at: SystemTime,
    two_factor_secret: String,
    two_factor_recovery_codes: Vec<String>,
    two_factor_confirmed_at: bool,
    password_confirmed_at: Option<i64>,
}

fn main() {}
