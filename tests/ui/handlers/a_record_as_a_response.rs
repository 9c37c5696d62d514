//! A record contains the password's hash and is no JSON by itself: copy what others may see into a type of your own.

use axum::Json;
use axum_auth_module::{AuthModule, CurrentUser};

#[path = "../account.rs"]
mod account;
use account::Account;

#[axum::debug_handler(state = AuthModule<Account>)]
async fn me(CurrentUser(account): CurrentUser<Account>) -> Json<Account> {
    Json(account)
}

fn main() {
    let _ = me;
}
