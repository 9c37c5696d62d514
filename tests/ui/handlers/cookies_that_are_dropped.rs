//! The cookies of a login are not in the response: the browser would have no session.

#![deny(unused_must_use)]

use axum::response::Redirect;
use axum_auth_module::extract::{Browser, Remember};
use axum_auth_module::AuthError;

#[path = "../account.rs"]
mod account;
use account::Account;

async fn log_in(browser: Browser<Account>) -> Result<Redirect, AuthError> {
    browser.login("ada@example.com", "correct horse battery", Remember::No).await?;
    Ok(Redirect::to("/"))
}

fn main() {
    let _ = log_in;
}
