//! A user record outlives the request that reads it. Each field that borrows is reported.

use axum_auth_module::AuthUser;
use std::borrow::Cow;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account<'a, Plan: 'static + Send + Sync> {
    id: i64,
    name: &'a str,
    email: Cow<'a, str>,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    nickname: Option<&'a str>,
    plan: Plan,
}

fn user<U: AuthUser>() {}

fn main() {
    user::<Account<u8>>();
}
