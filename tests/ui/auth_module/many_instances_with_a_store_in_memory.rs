//! A store that serves one instance is rejected for several.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;
use axum_auth_module::store::MemoryStore;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: MemoryUsers::<Account>::default(),
        deployment: many,
        store: MemoryStore::new(),
        session_repo: testing::SharedMemorySessions::new(),
    })
}

fn main() {
    let _ = host();
}
