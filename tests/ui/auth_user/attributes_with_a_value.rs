//! An attribute contains only the role: the column has the name of the field.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    #[auth(name = "display_name")]
    display_name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    #[auth(two_factor_secret("secret"))]
    secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

fn main() {}
