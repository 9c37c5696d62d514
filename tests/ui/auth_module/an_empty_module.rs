//! Everything that is always needed is missing.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::{AuthModule, ConfigError, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {})
}

fn main() {
    let _ = host();
}
