//! The extractors do not look through an `Arc`. A module is cheap to clone and needs none: put the `Arc` around the other
//! fields, or implement `FromRef<Arc<App>>` for the module.

use axum_auth_module::{AuthModule, CurrentUser};
use std::sync::Arc;

#[path = "../account.rs"]
mod account;
use account::Account;

struct App {
    auth: AuthModule<Account>,
}

#[axum::debug_handler(state = Arc<App>)]
async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

fn main() {
    let _ = me;
}
