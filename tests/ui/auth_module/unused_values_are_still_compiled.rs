//! No error follows from a reported value: one that is moved twice, one whose type cannot be inferred, one that is used
//! nowhere else.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    let users = MemoryUsers::<Account>::default();
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: users,
        user_repo: users,
        theme: Default::default(),
        actions: { CreatesNewUsers: StandardActions },
    })
}

fn main() {
    let _ = host();
}
