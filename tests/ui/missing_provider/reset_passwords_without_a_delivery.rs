//! How a reset token reaches its user has to be said, and the help shows both ways.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryPasswordResets, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { ResetsUserPasswords: StandardActions },
    })
}

fn main() {
    let _ = host();
}
