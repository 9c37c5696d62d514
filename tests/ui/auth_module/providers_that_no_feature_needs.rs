//! The host may believe that these are in use: resets and password updates are not listed.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: testing::MemoryPasswordResets::default(),
        actions: {
            CreatesNewUsers: StandardActions,
            UpdatesUserPasswords: StandardActions,
        },
        delivery: {
            PasswordReset: InResponse,
            EmailVerification: InResponse,
        },
    })
}

fn main() {
    let _ = host();
}
