//! There is nothing to put around routes: a handler asks for the user.

use axum::Router;
use axum::routing::get;
use axum_auth_module::AuthModule;

#[path = "../account.rs"]
mod account;
use account::Account;

fn app(auth: AuthModule<Account>) -> Router {
    Router::new().route("/me", get(async || "me")).layer(auth.middleware())
}

fn main() {
    let _ = app;
}
