//! Attributes without a word, and one with the path that belongs above the struct.

use auth::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    #[auth]
    id: i64,
    #[auth()]
    name: String,
    #[auth = "email"]
    email: String,
    #[auth("password")]
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(crate = auth)]
    plan: String,
}

fn main() {}
