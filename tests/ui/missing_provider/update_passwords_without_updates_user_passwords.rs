//! Password updates have no action.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [UPDATE_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
    })
}

fn main() {
    let _ = host();
}
