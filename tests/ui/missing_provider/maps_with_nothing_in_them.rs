//! A map is there, and what the features ask for is not in it.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: {},
        delivery: {},
    })
}

fn main() {
    let _ = host();
}
