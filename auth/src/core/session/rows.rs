//! The session repository as the library uses it: every error is a 503 response, unless its table is missing.

use crate::crypto::random;
use crate::error::AuthError;
use crate::repository::{
    LastUse, RepositoryError, SessionKind, SessionOwner, SessionRecord, SessionRepository, SessionState,
};
use std::sync::Arc;
use std::time::SystemTime;

#[derive(Clone)]
pub(super) struct Rows(pub(super) Arc<dyn SessionRepository>);

impl Rows {
    pub(super) async fn create(&self, session: SessionRecord) -> Result<(), AuthError> {
        self.0.create(session).await.map_err(RepositoryError::into_unavailable)
    }

    /// A repository is asked for no other ids than those that the library makes. A database can refuse a text, and would
    /// seem to be unavailable.
    pub(super) async fn find(&self, id: &str) -> Result<Option<SessionRecord>, AuthError> {
        if !random::is_id(id) {
            return Ok(None);
        }
        self.0.find(id).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn of_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, AuthError> {
        self.0.find_by_user(user_id, kinds).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, AuthError> {
        self.0.swap(id, expected, state, expires_at).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), AuthError> {
        self.0.touch(id, seen).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn delete(&self, id: &str) -> Result<bool, AuthError> {
        self.0.delete(id).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, AuthError> {
        self.0.delete_all(whose, kinds, except).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, AuthError> {
        self.0.delete_expired(now, at_most).await.map_err(RepositoryError::into_unavailable)
    }
}
