//! A value is given for a provider with its own key, but its type does not implement the trait.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryUsers::<Account>::default(),
        actions: { ResetsUserPasswords: StandardActions },
        delivery: { PasswordReset: InResponse },
    })
}

fn main() {
    let _ = host();
}
