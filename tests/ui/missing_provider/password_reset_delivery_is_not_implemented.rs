//! A delivery is given for reset tokens, and it is none.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryPasswordResets, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

struct Mailer;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { ResetsUserPasswords: StandardActions },
        delivery: { PasswordReset: Mailer },
    })
}

fn main() {
    let _ = host();
}
