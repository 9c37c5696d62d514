//! The state of the router contains no module. `#[axum::debug_handler]` makes the compiler say so.

use axum_auth_module::CurrentUser;

#[path = "../account.rs"]
mod account;
use account::Account;

#[derive(Clone)]
struct App;

#[axum::debug_handler(state = App)]
async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

fn main() {
    let _ = me;
}
