//! The compiler's own error stands at the host's expression.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::MemoryUsers;
use auth::{AuthConfig, AuthModule, ConfigError, StandardActions, auth_module};

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: AuthConfig::from_env(),
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
