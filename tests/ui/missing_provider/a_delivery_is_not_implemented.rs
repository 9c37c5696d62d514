//! A value is given as delivery, but its type does not implement the trait.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

struct Mailer;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { ResetsUserPasswords: StandardActions },
        delivery: { PasswordReset: Mailer },
    })
}

fn main() {
    let _ = host();
}
