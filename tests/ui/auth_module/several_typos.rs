//! A missing comma, an equals sign, a quoted key and a key with its path: one compilation reports them all, and nothing
//! else.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?
        features = [REGISTRATION],
        "user_repo": MemoryUsers::<Account>::default(),
        actions: { axum_auth_module::actions::CreatesNewUsers: StandardActions },
    })
}

fn main() {
    let _ = host();
}
