//! One value is given for all actions, and it is none.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, auth_module};

struct Actions;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: Actions,
    })
}

fn main() {
    let _ = host();
}
