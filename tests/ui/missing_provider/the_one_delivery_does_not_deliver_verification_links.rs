//! One value is given for both deliveries, but its type implements only one.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, BoxError, StandardActions, async_trait, auth_module};
use axum_auth_module::config::ConfigError;
use axum_auth_module::delivery::{Delivers, PasswordResetMessage};

struct Mailer;

#[async_trait]
impl Delivers<PasswordResetMessage> for Mailer {
    async fn deliver(&self, _: PasswordResetMessage) -> Result<(), BoxError> {
        Ok(())
    }
}

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [RESET_PASSWORDS, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: StandardActions,
        delivery: Mailer,
    })
}

fn main() {
    let _ = host();
}
