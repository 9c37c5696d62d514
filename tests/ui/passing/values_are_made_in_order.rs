//! Whatever the order of the keys, the configuration is evaluated first, then the repository, then shared values, then
//! the others by feature.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{InResponse, StandardActions, auth_module};
use axum_auth_module::feature::Feature;
use std::cell::RefCell;

pub(crate) fn main() -> Result<(), axum_auth_module::config::ConfigError> {
    let made = RefCell::new(Vec::new());
    let note = |what: &'static str| made.borrow_mut().push(what);
    let module = auth_module! {
        features: enabled({ note("features"); [Feature::RESET_PASSWORDS] }) within [RESET_PASSWORDS],
        password_reset_repo: { note("resets"); MemoryPasswordResets::default() },
        delivery: { note("delivery"); InResponse },
        actions: { note("actions"); StandardActions },
        user_repo: { note("users"); MemoryUsers::<Account>::default() },
        config: { note("config"); testing::config().build()? },
    };
    drop(module);
    assert_eq!(*made.borrow(), ["config", "users", "actions", "delivery", "resets", "features"]);
    Ok(())
}
