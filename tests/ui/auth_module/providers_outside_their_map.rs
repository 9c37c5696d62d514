//! An action belongs to the actions and a delivery to the deliveries. Neither is reported as missing too.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        CreatesNewUsers: StandardActions,
        actions: { EmailVerification: InResponse },
    })
}

fn main() {
    let _ = host();
}
