//! A `macro_rules!` of the host may write the record and the module.

use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, AuthUser, StandardActions, auth_module};
use axum_auth_module::config::ConfigError;
use std::time::SystemTime;

macro_rules! record {
    ($name:ident, $id:ty, $label:ident: $text:ty) => {
        #[derive(Clone, Default, AuthUser)]
        struct $name {
            id: $id,
            #[auth(name)]
            $label: $text,
            email: String,
            password: $text,
            email_verified_at: Option<SystemTime>,
            two_factor_secret: Option<$text>,
            two_factor_recovery_codes: Option<String>,
            two_factor_confirmed_at: Option<SystemTime>,
            password_confirmed_at: Option<SystemTime>,
            #[auth(is_active)]
            open: bool,
        }
    };
}

record!(Account, i64, display_name: String);

macro_rules! module {
    ($users:expr, $feature:ident, $actions:expr) => {
        auth_module! {
            config: testing::config().build()?,
            features: [$feature],
            user_repo: $users,
            actions: $actions,
        }
    };
}

pub(crate) fn main() -> Result<(), ConfigError> {
    let module: AuthModule<Account> =
        module!(MemoryUsers::<Account>::default(), REGISTRATION, StandardActions);
    drop(module);
    Ok(())
}
