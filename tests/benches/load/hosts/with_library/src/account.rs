//! The user record.

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, Default, AuthUser, sqlx::FromRow)]
pub(crate) struct Account {
    pub(crate) id: String,
    name: String,
    pub(crate) email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}
