//! A provider is given for profile updates, and it is none.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, auth_module};
use axum_auth_module::config::ConfigError;

struct UpdateProfile;

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [UPDATE_PROFILE_INFORMATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { UpdatesUserProfile: UpdateProfile },
    })
}

fn main() {
    let _ = host();
}
