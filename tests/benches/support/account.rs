//! The user record of the benches.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
pub(crate) struct Account {
    pub(crate) id: u64,
    name: String,
    pub(crate) email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}
