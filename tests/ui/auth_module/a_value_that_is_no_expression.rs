//! The reader goes on behind it.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::MemoryUsers;
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: auth::testing::config().build()? +,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: auth::StandardActions other },
    })
}

fn main() {
    let _ = host();
}
