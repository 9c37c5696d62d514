//! A body can be read once, so the extractor that reads it must be the last parameter.

use axum_auth_module::extract::Browser;

#[path = "../account.rs"]
mod account;
use account::Account;

#[axum::debug_handler(state = axum_auth_module::AuthModule<Account>)]
async fn log_in(body: String, browser: Browser<Account>) -> String {
    let _ = browser;
    body
}

fn main() {}
