//! A sink that is none.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, StandardActions, auth_module};

struct AuditLog;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
        events: AuditLog,
    })
}

fn main() {
    let _ = host();
}
