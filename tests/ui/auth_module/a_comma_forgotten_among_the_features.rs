//! The word behind the missing comma is pointed at, in the list as in the macro.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION TWO_FACTOR_AUTHENTICATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
