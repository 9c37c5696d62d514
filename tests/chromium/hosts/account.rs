//! The user record of the hosts in this process.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
pub(crate) struct Account {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) email_verified_at: Option<SystemTime>,
    pub(crate) two_factor_secret: Option<String>,
    pub(crate) two_factor_recovery_codes: Option<String>,
    pub(crate) two_factor_confirmed_at: Option<SystemTime>,
    pub(crate) password_confirmed_at: Option<SystemTime>,
}
