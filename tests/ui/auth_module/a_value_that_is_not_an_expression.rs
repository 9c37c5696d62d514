//! Parsing continues after it.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: axum_auth_module::testing::config().build()? +,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: axum_auth_module::StandardActions other },
    })
}

fn main() {
    let _ = host();
}
