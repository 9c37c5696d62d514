//! The path to the library is said once, above the struct.

use auth::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
#[auth(crate = ::auth)]
#[auth(crate = auth)]
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
    #[auth(crate = ::auth)]
    plan: String,
}

fn main() {}
