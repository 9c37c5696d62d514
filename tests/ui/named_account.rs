//! The user record of hosts with USERNAMES.

use std::time::SystemTime;

#[derive(Clone, Default, axum_auth_module::AuthUser)]
pub struct Account {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<SystemTime>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<SystemTime>,
    pub password_confirmed_at: Option<SystemTime>,
    #[auth(username)]
    pub username: Option<String>,
}
