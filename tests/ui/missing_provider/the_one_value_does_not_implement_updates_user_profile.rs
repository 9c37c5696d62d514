//! One value is given for all actions, but its type lacks one of them.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::{AuthModule, InResponse, StandardActions, async_trait, auth_module};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, PasswordUpdateData, RegistrationData, ResetsUserPasswords, UpdatesUserPasswords};
use axum_auth_module::config::ConfigError;
use axum_auth_module::values::NewPassword;

type Context = ActionContext<Account>;

struct Actions;

#[async_trait]
impl CreatesNewUsers<Account> for Actions {
    async fn create(&self, data: RegistrationData, context: &Context) -> Result<Account, ActionError> {
        StandardActions.create(data, context).await
    }
}

#[async_trait]
impl ResetsUserPasswords<Account> for Actions {
    async fn reset(
        &self,
        user: &Account,
        password: &NewPassword,
        context: &Context,
    ) -> Result<(), ActionError> {
        StandardActions.reset(user, password, context).await
    }
}

#[async_trait]
impl UpdatesUserPasswords<Account> for Actions {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &Context,
    ) -> Result<(), ActionError> {
        StandardActions.update(user, data, context).await
    }
}

fn host() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: [
            REGISTRATION,
            RESET_PASSWORDS,
            EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION,
            UPDATE_PASSWORDS,
            TWO_FACTOR_AUTHENTICATION,
        ],
        user_repo: MemoryUsers::<Account>::default(),
        password_reset_repo: MemoryPasswordResets::default(),
        actions: Actions,
        delivery: InResponse,
    })
}

fn main() {
    let _ = host();
}
