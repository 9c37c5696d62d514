//! The store that serves one instance is refused where there are several.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, MemoryStore, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: MemoryUsers::<Account>::default(),
        deployment: many,
        store: MemoryStore::new(),
    })
}

fn main() {
    let _ = host();
}
