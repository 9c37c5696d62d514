//! Whatever order the keys are written in, the configuration is made first, then the users, then the rest.

#[path = "../account.rs"]
mod account;

use account::Account;
use auth::testing::{self, MemoryUsers};
use auth::{Feature, StandardActions, auth_module};
use std::cell::RefCell;

fn main() -> Result<(), auth::ConfigError> {
    let made = RefCell::new(Vec::new());
    let note = |what: &'static str| made.borrow_mut().push(what);
    let module = auth_module! {
        features: enabled({ note("features"); [Feature::REGISTRATION] }) within [REGISTRATION],
        actions: { note("actions"); StandardActions },
        user_repo: { note("users"); MemoryUsers::<Account>::default() },
        config: { note("config"); testing::config().build()? },
    };
    drop(module);
    assert_eq!(*made.borrow(), ["config", "users", "actions", "features"]);
    Ok(())
}
