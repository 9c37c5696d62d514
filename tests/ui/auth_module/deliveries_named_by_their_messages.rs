//! An action has the name of its trait, a delivery has the name of its message.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { ResetsUserPasswords: StandardActions },
        delivery: {
            PasswordResetMessage: InResponse,
            EmailVerificationMessage: InResponse,
        },
    })
}

fn main() {
    let _ = host();
}
