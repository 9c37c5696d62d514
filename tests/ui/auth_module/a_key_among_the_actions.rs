//! A brace that is closed too late. What stands before it is not missing as well.

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
        actions: {
            CreatesNewUsers: StandardActions,
            user_repo: MemoryUsers::<Account>::default(),
        },
    })
}

fn main() {
    let _ = host();
}
