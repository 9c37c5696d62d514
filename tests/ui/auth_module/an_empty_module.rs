//! All required keys are missing.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {})
}

fn main() {
    let _ = host();
}
