//! Sessions in memory for tests of several instances.

use crate::repository::{
    LastUse, MemorySessions, RepositoryError, SessionKind, SessionOwner, SessionRecord, SessionRepository,
    SessionState, SharedSessions,
};
use async_trait::async_trait;
use std::time::SystemTime;

/// A [`MemorySessions`] that several instances in one process share, marked as [`SharedSessions`], for tests of
/// `deployment: many`. Clones share the sessions.
#[derive(Clone, Default)]
pub struct SharedMemorySessions(MemorySessions);

impl SharedMemorySessions {
    /// No sessions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl SharedSessions for SharedMemorySessions {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl SessionRepository for SharedMemorySessions {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.0.create(session).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        self.0.find(id).await
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        self.0.find_by_user(user_id, kinds).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        self.0.swap(id, expected, state, expires_at).await
    }

    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError> {
        self.0.touch(id, seen).await
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        self.0.delete(id).await
    }

    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        self.0.delete_all(whose, kinds, except).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        self.0.delete_expired(now, at_most).await
    }
}
