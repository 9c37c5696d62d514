//! A brace that is closed too late. What stands before it is not missing as well.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        actions: {
            CreatesNewUsers: StandardActions,
            user_repo: MemoryUsers::<Account>::default(),
        },
    })
}

fn main() {
    let _ = host();
}
