//! Options of `AuthConfig` as keys, one in camelCase and one in snake_case (specification §23.3).

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: MemoryUsers::<Account>::default(),
        jwtSecret: "a secret",
        app_name: "Example",
    })
}

fn main() {
    let _ = host();
}
