//! The hashes of reset tokens.

use crate::database::{Database, failure, from_milliseconds, milliseconds};
use crate::schema::reset_tokens;
use axum_auth_module::async_trait;
use axum_auth_module::repository::{PasswordResetRepository, RepositoryError, StoredResetToken};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::RunQueryDsl;
use std::time::SystemTime;

/// The reset tokens in the table `reset_tokens`: one for each address.
#[derive(Clone)]
pub(crate) struct ResetTokens(Database);

impl ResetTokens {
    pub(crate) fn new(database: &Database) -> Self {
        Self(database.clone())
    }
}

#[async_trait]
impl PasswordResetRepository for ResetTokens {
    /// The latest call wins, also if its time is the earlier one: clocks can be set back.
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        let row = (
            reset_tokens::email.eq(email),
            reset_tokens::hash.eq(hashed_token),
            reset_tokens::created_at.eq(milliseconds(created_at)),
        );
        let insert = diesel::insert_into(reset_tokens::table).values(row);
        let replace = insert.on_conflict(reset_tokens::email).do_update().set((
            reset_tokens::hash.eq(excluded(reset_tokens::hash)),
            reset_tokens::created_at.eq(excluded(reset_tokens::created_at)),
        ));
        replace.execute(&mut self.0.connection().await?).await.map_err(failure)?;
        Ok(())
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        let token = reset_tokens::table.find(email).select((reset_tokens::hash, reset_tokens::created_at));
        let row: Option<(String, i64)> =
            token.first(&mut self.0.connection().await?).await.optional().map_err(failure)?;
        Ok(row.map(|(hash, created_at)| StoredResetToken::new(hash, from_milliseconds(created_at))))
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        let delete = diesel::delete(reset_tokens::table.find(email));
        delete.execute(&mut self.0.connection().await?).await.map_err(failure)?;
        Ok(())
    }
}
