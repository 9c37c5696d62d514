//! The names of all features are known, and those that are still to come say so. What they need is not asked for.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, UPDATE_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: StandardActions },
    })
}

fn main() {
    let _ = host();
}
