//! There are actions and a delivery, and a feature needs further ones of both.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryPasswordResets, MemoryUsers};
use auth::{AuthModule, ConfigError, InResponse, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS, EMAIL_VERIFICATION, UPDATE_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { ResetsUserPasswords: StandardActions },
        delivery: { PasswordReset: InResponse },
    })
}

fn main() {
    let _ = host();
}
