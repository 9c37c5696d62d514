//! An in-memory repository of reset tokens.

use crate::repository::RepositoryError;
use crate::repository::{PasswordResetRepository, StoredResetToken};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Reset tokens in memory, for tests. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryPasswordResets(Arc<Mutex<HashMap<String, StoredResetToken>>>);

impl MemoryPasswordResets {
    /// An empty repository.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<String, StoredResetToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl PasswordResetRepository for MemoryPasswordResets {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        let stored = StoredResetToken { token: hashed_token.to_owned(), created_at };
        self.tokens().insert(email.to_owned(), stored);
        Ok(())
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        Ok(self.tokens().get(email).cloned())
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        self.tokens().remove(email);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_newest_token_of_an_address_is_the_only_one() {
        let resets = MemoryPasswordResets::new();
        let (first, second) = (SystemTime::UNIX_EPOCH, SystemTime::now());
        resets.create_token("a@b.co", "first", first).await.unwrap();
        resets.create_token("a@b.co", "second", second).await.unwrap();
        let stored = resets.find_by_email("a@b.co").await.unwrap().unwrap();
        assert_eq!((stored.token.as_str(), stored.created_at), ("second", second));
        resets.delete_by_email("a@b.co").await.unwrap();
        resets.delete_by_email("a@b.co").await.unwrap();
        assert!(resets.find_by_email("a@b.co").await.unwrap().is_none());
    }
}
