//! Code that is tried before the documentation is read, and compiles.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum::Router;
use axum::routing::get;
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::config::ConfigError;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::user::NewUser;
use axum_auth_module::{AuthModule, CurrentUser, async_trait};

/// The host has a module of this name.
mod auth {
    pub(crate) fn greeting(name: &str) -> String {
        format!("Hello {name}")
    }
}

struct CreateAccount;

#[async_trait]
impl CreatesNewUsers<Account> for CreateAccount {
    async fn create(&self, data: RegistrationData, context: &ActionContext<Account>) -> Result<Account, ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        Ok(context.users().create(NewUser::new(data.name, data.email, hash)).await?)
    }
}

/// A page for users and guests. The fields of the record are the extractor's.
async fn home(account: Option<CurrentUser<Account>>) -> String {
    auth::greeting(account.as_ref().map_or("guest", |account| &account.name))
}

pub(crate) fn main() -> Result<(), ConfigError> {
    let config = testing::config().build()?;
    let login_alone: AuthModule<Account> = AuthModule::new(config.clone(), MemoryUsers::<Account>::default());
    let members = AuthModule::builder(config, MemoryUsers::<Account>::default()).registration(CreateAccount).build()?;
    let app: Router = Router::new()
        .route("/", get(home))
        .nest("/auth", members.router())
        .nest("/staff/auth", login_alone.router())
        .with_state(members);
    drop(app);
    Ok(())
}
