//! A field without a role needs no attribute, and fields of other structs are not used.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone)]
struct Profile {
    name: String,
}

#[derive(Clone, AuthUser)]
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
    #[auth(skip)]
    plan: String,
    #[auth(flatten)]
    profile: Profile,
}

fn main() {}
