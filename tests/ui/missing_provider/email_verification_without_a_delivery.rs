//! How a verification link reaches its user has to be said, and the help shows both ways.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
    })
}

fn main() {
    let _ = host();
}
