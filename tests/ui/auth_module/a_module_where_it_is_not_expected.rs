//! The expression is a module, and not a result of one.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: MemoryUsers::<Account>::default(),
    }
}

fn main() {
    let _ = host();
}
