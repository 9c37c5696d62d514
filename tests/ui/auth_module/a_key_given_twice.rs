//! The second is pointed at, in the map of actions as well.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: {
            CreatesNewUsers: StandardActions,
            CreatesNewUsers: StandardActions,
        },
        config: testing::config().build()?,
    })
}

fn main() {
    let _ = host();
}
