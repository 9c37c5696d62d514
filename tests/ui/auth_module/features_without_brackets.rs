//! Features that are enabled at start-up must be in a list that the compiler knows.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;
use axum_auth_module::feature::Feature;

const FEATURES: [Feature; 1] = [Feature::REGISTRATION];

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: FEATURES,
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
