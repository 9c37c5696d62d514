//! A feature that is nearly one, and one that is like none.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATON, PASSKEYS],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
