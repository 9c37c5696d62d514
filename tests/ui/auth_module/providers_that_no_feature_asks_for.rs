//! What is given for nothing may be believed to be in use.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

struct Mailer;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: testing::MemoryPasswordResets::default(),
        actions: {
            CreatesNewUsers: auth::StandardActions,
        },
        delivery: Mailer,
    })
}

fn main() {
    let _ = host();
}
