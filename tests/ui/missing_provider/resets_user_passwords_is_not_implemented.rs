//! A provider is given for resets, and it is none.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, auth_module};
use axum_auth_module::config::ConfigError;

struct ResetPassword;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { ResetsUserPasswords: ResetPassword },
        delivery: { PasswordReset: InResponse },
    })
}

fn main() {
    let _ = host();
}
