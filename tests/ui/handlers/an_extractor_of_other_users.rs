//! The extractor names another user type than the module in the state.

use axum::extract::FromRef;
use axum_auth_module::{AuthModule, Claims};

#[path = "../account.rs"]
mod account;
use account::Account;

#[derive(Clone, Default, axum_auth_module::AuthUser)]
struct Member {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<std::time::SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<std::time::SystemTime>,
    password_confirmed_at: Option<std::time::SystemTime>,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

#[axum::debug_handler(state = App)]
async fn me(claims: Claims<Member>) -> String {
    claims.user_id().to_owned()
}

fn main() {
    let _ = me;
}
