//! Tokens contain the id in its printed form.

use axum_auth_module::AuthUser;
use std::num::ParseIntError;
use std::str::FromStr;
use std::time::SystemTime;

#[derive(Clone)]
struct AccountNumber(u32);

impl FromStr for AccountNumber {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

#[derive(Clone, AuthUser)]
struct Account {
    id: AccountNumber,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

fn main() {}
