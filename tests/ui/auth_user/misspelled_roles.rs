//! A role with a typo counts as the role that was meant. For an unknown word, all roles are listed.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    #[auth(passwrd)]
    hash: String,
    #[auth(emailVerifiedAt)]
    verified: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(avatar)]
    picture: String,
}

fn main() {}
