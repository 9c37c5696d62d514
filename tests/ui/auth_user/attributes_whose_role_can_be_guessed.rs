//! The role follows from the text in quotes, or else from the field's name.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth]
    r#id: i64,
    #[auth("name")]
    display_name: String,
    #[auth = "password"]
    hash: String,
    #[auth(rename = "email")]
    address: String,
    #[auth()]
    email_verified: Option<SystemTime>,
}

fn main() {}
