//! A forgotten comma, an equals sign, a quoted key and one with its path: all are reported in one compile, and nothing
//! else is.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?
        features = [REGISTRATION],
        "user_repo": MemoryUsers::<Account>::default(),
        actions: { auth::CreatesNewUsers: StandardActions },
    })
}

fn main() {
    let _ = host();
}
