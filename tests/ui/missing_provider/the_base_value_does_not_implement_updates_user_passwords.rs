//! A value is given for the actions that are not named, but its type does not implement the one that is needed.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::config::ConfigError;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};

struct Others;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, UPDATE_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: StandardActions, ..Others },
    })
}

fn main() {
    let _ = host();
}
