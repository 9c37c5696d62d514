//! The users are of a type that is no repository.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing;
use auth::{AuthModule, ConfigError, auth_module};

struct Database;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: Database,
    })
}

fn main() {
    let _ = host();
}
