//! Resets have their tokens and a delivery, and no action that stores the new password.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        delivery: { PasswordReset: InResponse },
    })
}

fn main() {
    let _ = host();
}
