//! A user without an id is a `NewUser`. The host uses the record as a user, which causes no further error.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account {
    id: Option<i64>,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

fn printed<U: AuthUser<Id = i64>>(user: &U) -> String {
    user.id().to_string()
}

fn main() {
    let _: fn(&Account) -> String = printed;
}
