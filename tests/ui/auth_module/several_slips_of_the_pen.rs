//! A forgotten comma, an equals sign, a forgotten value and a quoted key: all are reported in one compile, and nothing else is.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?
        features = [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        events,
        store:,
        "actions": StandardActions,
        actions: { CreatesNewUsers },
    })
}

fn main() {
    let _ = host();
}
