//! It implements the trait for a user type that is not the module's.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, AuthUser, async_trait, auth_module};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::config::ConfigError;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
struct Administrator {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

struct CreateAdministrator;

#[async_trait]
impl CreatesNewUsers<Administrator> for CreateAdministrator {
    async fn create(
        &self,
        _: RegistrationData,
        _: &ActionContext<Administrator>,
    ) -> Result<Administrator, ActionError> {
        Ok(Administrator::default())
    }
}

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: CreateAdministrator },
    })
}

fn main() {
    let _ = host();
}
