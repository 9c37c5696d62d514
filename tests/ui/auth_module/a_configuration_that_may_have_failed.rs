//! The compiler's own error points at the host's expression.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::{AuthConfig, AuthModule, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: AuthConfig::from_env(),
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
