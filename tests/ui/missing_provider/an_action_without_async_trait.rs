//! An action is written with `#[async_trait]`. The compiler names the attribute in the line of the trait that it shows.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};

struct CreateAccount;

impl CreatesNewUsers<Account> for CreateAccount {
    async fn create(&self, data: RegistrationData, _: &ActionContext<Account>) -> Result<Account, ActionError> {
        Ok(Account { name: data.name.as_str().to_owned(), ..Account::default() })
    }
}

fn main() {}
