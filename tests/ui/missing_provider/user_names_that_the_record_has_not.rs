//! USERNAMES needs a field of the record.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::config::ConfigError;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, USERNAMES],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
