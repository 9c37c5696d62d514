//! A feature that is enabled and not within the list ends the function around.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{AuthModule, Feature, StandardActions, auth_module};

fn host() -> AuthModule<Account> {
    auth_module! {
        config: testing::config().build().unwrap_or_else(|error| panic!("{error}")),
        features: enabled([Feature::Registration]) within [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    }
}

fn main() {
    let _ = host();
}
