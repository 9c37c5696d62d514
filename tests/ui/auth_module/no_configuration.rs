//! The secrets are missing, and nothing else is said.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::MemoryUsers;
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
