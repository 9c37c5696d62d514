//! Without a repository the module has no user type. The host uses the module, which causes no further error.

#[path = "../account.rs"]
mod account;

use account::Account;
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
        config: axum_auth_module::testing::config().build().unwrap(),
        features: [REGISTRATION],
        actions: axum_auth_module::StandardActions,
    };
    let routes = auth.router();
    let app: Router = Router::new().route("/me", get(me)).nest("/auth", routes).with_state(App { auth });
    drop(app);
}
