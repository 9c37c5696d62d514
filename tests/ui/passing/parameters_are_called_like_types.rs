//! Type parameters with the names of known types.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

type Timestamp = SystemTime;

mod own {
    pub type Vec = String;
    pub type NaiveDateTime = std::time::SystemTime;
    pub type OffsetDateTime = Option<std::time::SystemTime>;
}

#[derive(Clone, AuthUser)]
struct Account<Instant, bool> {
    id: Instant,
    name: own::Vec,
    email: String,
    password: bool,
    email_verified_at: Option<Timestamp>,
    two_factor_secret: Option<bool>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<self::own::NaiveDateTime>,
    password_confirmed_at: self::own::OffsetDateTime,
}

fn user<U: AuthUser<Id = i64>>() {}

pub(crate) fn main() {
    user::<Account<i64, String>>();
}
