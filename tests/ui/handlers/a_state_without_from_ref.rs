//! The state has the module, but axum cannot take it out: the derive `FromRef` is missing.

use axum_auth_module::{AuthModule, CurrentUser};

#[path = "../account.rs"]
mod account;
use account::Account;

#[derive(Clone)]
struct App {
    auth: AuthModule<Account>,
}

#[axum::debug_handler(state = App)]
async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

fn main() {
    let _ = me;
}
