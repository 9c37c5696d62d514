//! Each says what a value can look like, with and without its colon, and in a map.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::MemoryUsers;
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers },
        events,
        store:,
    })
}

fn main() {
    let _ = host();
}
