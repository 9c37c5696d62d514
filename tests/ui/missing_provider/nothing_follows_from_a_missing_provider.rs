//! The host uses the module that does not compile. Only the cause is reported.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, CurrentUser, auth_module};
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

fn main() {
    let auth = auth_module! {
        config: testing::config().build().unwrap(),
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
    };
    let routes = auth.router();
    let app: Router = Router::new().route("/me", get(me)).nest("/auth", routes).with_state(App { auth });
    drop(app);
}
