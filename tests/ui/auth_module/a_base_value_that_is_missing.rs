//! `..` needs a value, in actions and in deliveries.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { .. },
        delivery: { .. },
    })
}

fn main() {
    let _ = host();
}
