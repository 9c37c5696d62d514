//! The repository of the sessions: that of the host, and with every row the data of the session goes.
//!
//! A row is deleted by whatever ends a session: a logout, "end this session", a password that changes, a login in place of another session,
//! a stolen refresh token, an administrator, a deleted account, the clean-up of expired sessions. All of them pass through here. The
//! events are not enough: a password reset has one event for all sessions of the user, `end_everybodys_sessions` one for all users, the end
//! of the time has none, and an event can be dropped when too many wait.
//!
//! What deletes rows elsewhere, such as SQL by hand, is not seen. The data then stays until the session would have ended.

use crate::visit::{Visits, to_the_end};
use axum_auth_module::async_trait;
use axum_auth_module::repository::{
    LastUse, RepositoryError, SessionKind, SessionOwner, SessionRecord, SessionRepository, SessionState,
};
use std::time::SystemTime;

#[async_trait]
impl SessionRepository for Visits {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.sessions.create(session).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        self.sessions.find(id).await
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        self.sessions.find_by_user(user_id, kinds).await
    }

    /// A refresh prolongs the session, and keeps its data.
    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let is_swapped = self.sessions.swap(id, expected, state, expires_at).await?;
        if is_swapped && let Err(error) = self.prolong(id, expires_at).await {
            tracing::error!(%error, "the data of a session ends before the session");
        }
        Ok(is_swapped)
    }

    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError> {
        self.sessions.touch(id, seen).await
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        let (visits, id) = (self.clone(), id.to_owned());
        let task = async move {
            let deleted = visits.sessions.delete(&id).await;
            visits.settle_or_log(&id).await;
            deleted
        };
        to_the_end(task).await.map_err(RepositoryError::other)?
    }

    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let user = match whose {
            SessionOwner::User(id) => Some(id.to_owned()),
            SessionOwner::Everybody => None,
            _ => return Err(RepositoryError::other("owners of sessions that this host does not know")),
        };
        let (visits, kinds, except) = (self.clone(), kinds.to_vec(), except.map(str::to_owned));
        let task = async move {
            let whose = user.as_deref().map_or(SessionOwner::Everybody, SessionOwner::User);
            let deleted = visits.sessions.delete_all(whose, &kinds, except.as_deref()).await;
            visits.settle_all(|known| user.as_ref().is_none_or(|user| *user == known.user_id)).await;
            deleted
        };
        to_the_end(task).await.map_err(RepositoryError::other)?
    }

    /// The sessions whose time is over. A `MemoryStore` does not delete them itself.
    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let visits = self.clone();
        let task = async move {
            let deleted = visits.sessions.delete_expired(now, at_most).await;
            visits.settle_all(|known| known.ends <= now).await;
            deleted
        };
        to_the_end(task).await.map_err(RepositoryError::other)?
    }
}
