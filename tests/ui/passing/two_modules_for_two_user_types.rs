//! Customers and staff have a module and extractors each, in one state.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, AuthUser, CurrentUser, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
struct Employee {
    id: u16,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

#[derive(Clone, FromRef)]
struct App {
    customers: AuthModule<Account>,
    staff: AuthModule<Employee>,
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

async fn desk(CurrentUser(employee): CurrentUser<Employee>) -> String {
    employee.name
}

pub(crate) fn main() -> Result<(), ConfigError> {
    let customers = auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    };
    let staff = auth_module! {
        config: testing::config().build()?,
        features: [],
        user_repo: MemoryUsers::<Employee>::default(),
    };
    let app: Router = Router::new()
        .route("/me", get(me))
        .route("/desk", get(desk))
        .nest("/auth", customers.router())
        .nest("/staff/auth", staff.router())
        .with_state(App { customers, staff });
    drop(app);
    Ok(())
}
