//! Types that hold no text, and the type to write instead.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: (String, String),
    email: [u8; 254],
    password: [u8; 60],
    email_verified_at: Option<SystemTime>,
    two_factor_secret: [u8; 20],
    two_factor_recovery_codes: Option<[String; 8]>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

fn main() {}
