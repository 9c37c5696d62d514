//! A provider is given for password updates, and it is none.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

struct UpdatePassword;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [UPDATE_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { UpdatesUserPasswords: UpdatePassword },
    })
}

fn main() {
    let _ = host();
}
