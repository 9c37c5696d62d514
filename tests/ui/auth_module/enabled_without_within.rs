//! What may be enabled has to be said as well.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, ConfigError, Feature, StandardActions, auth_module};

const FEATURES: [Feature; 1] = [Feature::REGISTRATION];

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: enabled(FEATURES),
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn main() {
    let _ = host();
}
