//! The error points at the second one, also in the map of actions.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: {
            CreatesNewUsers: StandardActions,
            CreatesNewUsers: StandardActions,
        },
        config: testing::config().build()?,
    })
}

fn main() {
    let _ = host();
}
