//! In a new account all three times are null.

use axum_auth_module::AuthUser;

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: jiff::Timestamp,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: std::time::SystemTime,
    password_confirmed_at: Option<Option<jiff::Timestamp>>,
}

fn main() {}
