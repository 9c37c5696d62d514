//! One value for all actions and one for all deliveries, but no feature needs either.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [TWO_FACTOR_AUTHENTICATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
        delivery: InResponse,
    })
}

fn main() {
    let _ = host();
}
