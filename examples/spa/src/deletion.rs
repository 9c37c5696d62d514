//! What becomes of a user whose account is deleted.

use crate::account::Account;
use axum_auth_module::actions::{ActionContext, ActionError, DeletesUsers};
use axum_auth_module::async_trait;
use axum_auth_module::sql::SqlUsers;
use sqlx::SqlitePool;

/// Deletes the notes, and then the user: if something fails in between, the action is called again, and still finds the user.
pub(crate) struct WithNotes {
    pub(crate) pool: SqlitePool,
    pub(crate) users: SqlUsers<Account>,
}

#[async_trait]
impl DeletesUsers<Account> for WithNotes {
    async fn delete(&self, account: &Account, _: &ActionContext<Account>) -> Result<(), ActionError> {
        sqlx::query("DELETE FROM notes WHERE user_id = ?").bind(&account.id).execute(&self.pool).await?;
        self.users.delete(&account.id).await?;
        Ok(())
    }
}
