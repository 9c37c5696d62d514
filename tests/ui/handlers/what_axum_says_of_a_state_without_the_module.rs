//! Without `#[axum::debug_handler]` the compiler says only that the function is no `Handler`. That means: one of its
//! parameters is no extractor for this state, or its return type is no response. Put `#[axum::debug_handler(state = App)]`
//! above the function, and compile again.

use axum::Router;
use axum::routing::get;
use axum_auth_module::CurrentUser;

#[path = "../account.rs"]
mod account;
use account::Account;

#[derive(Clone)]
struct App;

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

fn main() {
    let _: Router = Router::new().route("/me", get(me)).with_state(App);
}
