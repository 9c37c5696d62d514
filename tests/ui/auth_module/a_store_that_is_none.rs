//! A type that is no store.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

struct Cache {
    size: u32,
}

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: MemoryUsers::<Account>::default(),
        store: Cache { size: 1024 },
    })
}

fn main() {
    let _ = host();
}
