//! Words of the macro are reported where they are, and are not looked up among the host's names too.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        user_repo: MemoryUsers::<Account>::default(),
        actions: { features: [REGISTRATION], deployment: many },
        switches: [UPDATE_PASSWORDS],
        handlers: { CreatesNewUsers: StandardActions },
        runners: { CreatesNewUsers },
    })
}

fn main() {
    let _ = host();
}
