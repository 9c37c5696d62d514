//! The type of the repository does not implement the trait.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing;
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

struct Database;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: Database,
    })
}

fn main() {
    let _ = host();
}
