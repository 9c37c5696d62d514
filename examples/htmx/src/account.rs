//! The user record.

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

/// A row of the table `users`. The derive requires these fields; add your own.
#[derive(Clone, AuthUser, sqlx::FromRow)]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    pub(crate) two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    pub(crate) two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
}
