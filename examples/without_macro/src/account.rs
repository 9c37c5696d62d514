//! The implementation that `#[derive(AuthUser)]` would generate.

use axum_auth_module::AuthUser;
use axum_auth_module::user::{FieldNames, UserField};
use chrono::{DateTime, Utc};
use std::time::SystemTime;

/// The host's record. Records that the derive does not support, such as generic ones, are mapped by hand like this one.
#[derive(Clone, sqlx::FromRow)]
pub(crate) struct Account {
    id: i64,
    full_name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
    suspended_at: Option<DateTime<Utc>>,
}

impl AuthUser for Account {
    type Id = i64;

    /// Only the fields with other names. The SQL adapters use these names as columns.
    const FIELD_NAMES: FieldNames = FieldNames::STANDARD.with(UserField::Name, "full_name");

    /// Other records have another name, so nobody is logged in as a user of two tables.
    fn realm() -> &'static str {
        "accounts"
    }

    fn id(&self) -> &i64 {
        &self.id
    }

    fn name(&self) -> &str {
        &self.full_name
    }

    fn email(&self) -> &str {
        &self.email
    }

    fn password(&self) -> &str {
        &self.password
    }

    fn email_verified_at(&self) -> Option<SystemTime> {
        self.email_verified_at.map(SystemTime::from)
    }

    fn two_factor_secret(&self) -> Option<&str> {
        self.two_factor_secret.as_deref()
    }

    fn two_factor_recovery_codes(&self) -> Option<&str> {
        self.two_factor_recovery_codes.as_deref()
    }

    fn two_factor_confirmed_at(&self) -> Option<SystemTime> {
        self.two_factor_confirmed_at.map(SystemTime::from)
    }

    fn password_confirmed_at(&self) -> Option<SystemTime> {
        self.password_confirmed_at.map(SystemTime::from)
    }

    /// A value can also be computed.
    fn is_active(&self) -> bool {
        self.suspended_at.is_none()
    }
}
