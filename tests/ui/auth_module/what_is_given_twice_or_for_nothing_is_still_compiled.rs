//! What is reported once is not reported again: a value that is moved twice, one whose type nobody asks for, one
//! that is used nowhere else.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    let users = MemoryUsers::<Account>::default();
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: users,
        user_repo: users,
        theme: Default::default(),
        actions: { CreatesNewUsers: StandardActions },
    })
}

fn main() {
    let _ = host();
}
