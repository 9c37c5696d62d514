//! A module that offers nothing more than logging in says so.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        user_repo: MemoryUsers::<Account>::default(),
    })
}

fn main() {
    let _ = host();
}
