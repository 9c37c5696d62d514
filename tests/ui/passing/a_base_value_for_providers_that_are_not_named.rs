//! `..value` is used for the providers that the features need and that are not given by name.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::config::ConfigError;
use axum_auth_module::feature::Feature;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, StandardActions, auth_module};

fn several_actions() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, UPDATE_PASSWORDS, RESET_PASSWORDS, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: { CreatesNewUsers: StandardActions, ..StandardActions },
        delivery: { PasswordReset: InResponse, ..InResponse },
    })
}

fn nothing_named() -> Result<AuthModule<Account>, ConfigError> {
    let deliveries = || InResponse;
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION, EMAIL_VERIFICATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { ..StandardActions },
        delivery: { ..deliveries(), },
    })
}

pub(crate) fn main() -> Result<(), ConfigError> {
    assert!(several_actions()?.features().contains(Feature::EMAIL_VERIFICATION));
    assert!(nothing_named()?.features().contains(Feature::REGISTRATION));
    Ok(())
}
