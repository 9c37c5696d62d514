//! Who sends the request need not be who must be told, so `InResponse` does not take notices.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::config::ConfigError;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        delivery: { EmailVerification: InResponse, Notices: InResponse },
    })
}

fn main() {
    let _ = host();
}
