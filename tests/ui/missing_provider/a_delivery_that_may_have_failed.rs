//! A mail of a `Mailer` is a `Result`, because its link can be wrong.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::config::ConfigError;
use axum_auth_module::delivery::{Delivers, EmailVerificationMessage};
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, auth_module};

fn host<D>(mail: Result<D, ConfigError>) -> Result<AuthModule<Account>, ConfigError>
where
    D: Delivers<EmailVerificationMessage>,
{
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        delivery: { EmailVerification: mail },
    })
}

fn main() {
    let _ = host::<axum_auth_module::InResponse>;
}
