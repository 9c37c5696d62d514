//! Repositories of sessions with one mistake each.

use super::Checks;
use crate::repository::{
    MemorySessions, RepositoryError, Seen, SessionKind, SessionRecord, SessionRepository, Whose,
};
use crate::testing::conformance;
use async_trait::async_trait;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::yield_now;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// `find` hides expired sessions.
    ExpiredHidden,
    /// Times in whole seconds.
    WholeSeconds,
    /// `SELECT`, compare, `UPDATE`.
    CheckThenSwap,
    /// MySQL's number of changed rows.
    SameStateIsFalse,
    /// A collation that ignores case.
    StateIgnoresCase,
    /// The end is only ever moved forward.
    EndNotMovedBack,
    /// The row is read, changed and written back.
    TouchWritesTheRow,
    /// `COALESCE`: null leaves what is stored.
    TouchKeepsTexts,
    /// `touch` is an upsert.
    TouchCreates,
    /// `delete` always returns true.
    DeleteIsTrue,
    /// The kinds are ignored.
    KindsIgnored,
    /// The exception is ignored.
    ExceptionIgnored,
    /// `expires_at < now`.
    EndsLater,
    /// No `LIMIT`.
    NoLimit,
}
use Mistake::{
    CheckThenSwap, DeleteIsTrue, EndNotMovedBack, EndsLater, ExceptionIgnored, ExpiredHidden, KindsIgnored,
    NoLimit, SameStateIsFalse, StateIgnoresCase, TouchCreates, TouchKeepsTexts, TouchWritesTheRow,
    WholeSeconds,
};

#[derive(Clone)]
struct Sessions {
    sessions: MemorySessions,
    mistake: Mistake,
}

impl Sessions {
    async fn is_stale(&self, id: &str, expected: &str) -> Result<bool, RepositoryError> {
        Ok(self.sessions.find(id).await?.is_none_or(|session| session.state != expected))
    }
}

#[async_trait]
impl SessionRepository for Sessions {
    async fn create(&self, mut session: SessionRecord) -> Result<(), RepositoryError> {
        if self.mistake == WholeSeconds {
            for time in [&mut session.created_at, &mut session.last_used_at, &mut session.expires_at] {
                *time = UNIX_EPOCH + Duration::from_secs(time.duration_since(UNIX_EPOCH)?.as_secs());
            }
        }
        self.sessions.create(session).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        let found = self.sessions.find(id).await?;
        Ok(found.filter(|session| self.mistake != ExpiredHidden || session.expires_at > SystemTime::now()))
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let kinds = if self.mistake == KindsIgnored { SessionKind::ALL } else { kinds };
        self.sessions.find_by_user(user_id, kinds).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &str,
        state: &str,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let Some(stored) = self.sessions.find(id).await? else { return Ok(false) };
        match self.mistake {
            CheckThenSwap => {
                if self.is_stale(id, expected).await? {
                    return Ok(false);
                }
                yield_now().await;
                self.sessions.create(SessionRecord { state: state.to_owned(), expires_at, ..stored }).await?;
                Ok(true)
            }
            SameStateIsFalse if state == stored.state && expires_at == stored.expires_at => Ok(false),
            StateIgnoresCase if expected.eq_ignore_ascii_case(&stored.state) => {
                self.sessions.swap(id, &stored.state, state, expires_at).await
            }
            EndNotMovedBack => {
                self.sessions.swap(id, expected, state, expires_at.max(stored.expires_at)).await
            }
            _ => self.sessions.swap(id, expected, state, expires_at).await,
        }
    }

    async fn touch(&self, id: &str, seen: &Seen) -> Result<(), RepositoryError> {
        let stored = self.sessions.find(id).await?;
        match (self.mistake, stored) {
            (TouchWritesTheRow, Some(stored)) => {
                yield_now().await;
                let Seen { last_used_at, client, user_agent } = seen.clone();
                self.sessions.create(SessionRecord { last_used_at, client, user_agent, ..stored }).await
            }
            (TouchKeepsTexts, Some(stored)) => {
                let mut seen = seen.clone();
                seen.client = seen.client.or(stored.client);
                seen.user_agent = seen.user_agent.or(stored.user_agent);
                self.sessions.touch(id, &seen).await
            }
            (TouchCreates, None) => {
                let at = seen.last_used_at;
                self.sessions.create(SessionRecord::new(id, "", SessionKind::Bearer, "", at, at)).await
            }
            _ => self.sessions.touch(id, seen).await,
        }
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        Ok(self.sessions.delete(id).await? || self.mistake == DeleteIsTrue)
    }

    async fn delete_all(
        &self,
        whose: Whose<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let kinds = if self.mistake == KindsIgnored { SessionKind::ALL } else { kinds };
        let except = except.filter(|_| self.mistake != ExceptionIgnored);
        self.sessions.delete_all(whose, kinds, except).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let now = if self.mistake == EndsLater { now - Duration::from_nanos(1) } else { now };
        self.sessions.delete_expired(now, if self.mistake == NoLimit { u32::MAX } else { at_most }).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let mut checks = Checks::default();
    for (mistake, case, found) in [
        (ExpiredHidden, "", ""),
        (WholeSeconds, "", ""),
        (CheckThenSwap, "", ""),
        (SameStateIsFalse, "", ""),
        (StateIgnoresCase, "", ""),
        (EndNotMovedBack, "", ""),
        (TouchWritesTheRow, "", ""),
        (TouchKeepsTexts, "", ""),
        (TouchCreates, "", ""),
        (DeleteIsTrue, "", ""),
        (KindsIgnored, "", ""),
        (ExceptionIgnored, "", ""),
        (EndsLater, "", ""),
        (NoLimit, "", ""),
    ] {
        let sessions = Sessions { sessions: MemorySessions::new(), mistake };
        checks.failed(mistake, &conformance::sessions(sessions).await, case, found);
    }
    checks.end();
}
