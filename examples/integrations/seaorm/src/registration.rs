//! A registration that also writes a row of the host's own.

use crate::entity::{account, note};
use crate::failure::failure;
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::async_trait;
use sea_orm::{ActiveModelTrait, DatabaseConnection, DbErr, Set, SqlErr, TransactionTrait};

/// Registers a user with a first note. Both are in one transaction of SeaORM: there is no user without a note, and after a registration
/// that fails there is neither.
///
/// An event (`auth.registered`) would come after the user is stored, and a crash in between would leave a user without a note.
pub(crate) struct RegisterWithNote {
    pub(crate) database: DatabaseConnection,
}

#[async_trait]
impl CreatesNewUsers<account::Model> for RegisterWithNote {
    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<account::Model>,
    ) -> Result<account::Model, ActionError> {
        // Before the transaction, in which nobody else can write to SQLite: a hash takes a quarter of a second.
        let hash = context.passwords().hash(&data.password).await?;
        let transaction = self.database.begin().await.map_err(failure)?;
        let account = account::ActiveModel {
            name: Set(data.name.as_str().to_owned()),
            email: Set(data.email.as_str().to_owned()),
            password: Set(hash),
            ..Default::default()
        };
        let account = account.insert(&transaction).await.map_err(not_created)?;
        let note = note::ActiveModel {
            account_id: Set(account.id),
            text: Set(format!("Welcome, {}!", account.name)),
            ..Default::default()
        };
        note.insert(&transaction).await.map_err(failure)?;
        // Whatever returns before this line rolls the transaction back.
        transaction.commit().await.map_err(failure)?;
        Ok(account)
    }
}

/// The address is the only column with a unique index apart from the id, which the table generates.
fn not_created(error: DbErr) -> ActionError {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => ActionError::conflict(),
        _ => failure(error).into(),
    }
}
