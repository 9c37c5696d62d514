//! An enabled feature that is not in the list makes the surrounding function return an error.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use axum_auth_module::feature::Feature;

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
