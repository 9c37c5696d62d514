//! `table` returns a `Result`, because a name can be wrong.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::sql::{InvalidIdentifier, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, auth_module};

fn host(config: AuthConfig, users: SqlUsers<Account>) -> Result<AuthModule<Account>, InvalidIdentifier> {
    Ok(auth_module! {
        config: config,
        features: [],
        user_repo: users.table("members"),
    })
}

fn main() {
    let _ = host;
}
