//! Each message shows an example of a value: with a colon, without one, and in a map.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers },
        events,
        store:,
    })
}

fn main() {
    let _ = host();
}
