//! None of the three times has come when an account is made.

use axum_auth_module::AuthUser;
use jiff::Timestamp;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Timestamp,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: std::time::SystemTime,
    password_confirmed_at: Option<Option<jiff::Timestamp>>,
}

fn main() {}
