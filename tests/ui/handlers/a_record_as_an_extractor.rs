//! The record itself is no extractor: `CurrentUser` reads it.

use axum_auth_module::AuthModule;

#[path = "../account.rs"]
mod account;
use account::Account;

#[axum::debug_handler(state = AuthModule<Account>)]
async fn me(account: Account) -> String {
    account.name
}

fn main() {}
