//! A user record outlives the request that it is read for.

use auth::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account<'a> {
    id: i64,
    name: &'a str,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

fn user<U: AuthUser>() {}

fn main() {
    user::<Account<'static>>();
}
