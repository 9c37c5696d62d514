//! Sessions in memory: the default.

use super::session_repository::{Seen, SessionKind, SessionRecord, SessionRepository, Whose};
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

/// The default capacity in sessions. With a user agent each, they take about 100 MiB.
const CAPACITY: usize = 100_000;

/// A [`SessionRepository`] in the memory of one process; the default. A restart ends all sessions.
///
/// Its size is bounded: if it is full, the least recently used session ends. Clones share the sessions.
#[derive(Clone)]
pub struct MemorySessions(Arc<RwLock<Table>>);

struct Table {
    capacity: usize,
    rows: HashMap<String, Row>,
    by_user: HashMap<String, HashSet<String>>,
    /// The ids in the order of their last use.
    by_use: BTreeMap<Use, String>,
    /// The number of the next use.
    next: u64,
}

/// The time of a use, and a number that makes it unique.
type Use = (SystemTime, u64);

struct Row {
    record: SessionRecord,
    used: Use,
}

impl Default for MemorySessions {
    fn default() -> Self {
        Self::new()
    }
}

impl MemorySessions {
    /// An empty repository for 100,000 sessions.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    /// An empty repository for this number of sessions, at least one.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Arc::new(RwLock::new(Table {
            capacity: capacity.max(1),
            rows: HashMap::new(),
            by_user: HashMap::new(),
            by_use: BTreeMap::new(),
            next: 0,
        })))
    }

    // No operation panics in the middle of a change, so the data of a poisoned lock is consistent.

    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn insert(&mut self, record: SessionRecord) {
        self.remove(&record.id);
        while self.rows.len() >= self.capacity {
            let Some((_, id)) = self.by_use.pop_first() else { break };
            self.remove(&id);
        }
        let used = self.use_at(record.last_used_at);
        self.by_user.entry(record.user_id.clone()).or_default().insert(record.id.clone());
        self.by_use.insert(used, record.id.clone());
        self.rows.insert(record.id.clone(), Row { record, used });
    }

    fn remove(&mut self, id: &str) -> bool {
        let Some(Row { record, used }) = self.rows.remove(id) else { return false };
        self.by_use.remove(&used);
        if let Some(ids) = self.by_user.get_mut(&record.user_id) {
            ids.remove(id);
            if ids.is_empty() {
                self.by_user.remove(&record.user_id);
            }
        }
        true
    }

    fn remove_all(&mut self, ids: &[String]) -> u64 {
        ids.iter().filter(|id| self.remove(id)).count() as u64
    }

    fn use_at(&mut self, time: SystemTime) -> Use {
        self.next += 1;
        (time, self.next)
    }

    fn of_user(&self, user_id: &str) -> impl Iterator<Item = &SessionRecord> {
        let ids = self.by_user.get(user_id).into_iter().flatten();
        ids.filter_map(|id| self.rows.get(id)).map(|row| &row.record)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl SessionRepository for MemorySessions {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.write().insert(session);
        Ok(())
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        Ok(self.read().rows.get(id).map(|row| row.record.clone()))
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let sessions = self.read();
        Ok(sessions.of_user(user_id).filter(|record| kinds.contains(&record.kind)).cloned().collect())
    }

    async fn swap(
        &self,
        id: &str,
        expected: &str,
        state: &str,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let mut sessions = self.write();
        let Some(row) = sessions.rows.get_mut(id).filter(|row| row.record.state == expected) else {
            return Ok(false);
        };
        state.clone_into(&mut row.record.state);
        row.record.expires_at = expires_at;
        Ok(true)
    }

    async fn touch(&self, id: &str, seen: &Seen) -> Result<(), RepositoryError> {
        let mut sessions = self.write();
        let used = sessions.use_at(seen.last_used_at);
        let Some(row) = sessions.rows.get_mut(id) else { return Ok(()) };
        let before = std::mem::replace(&mut row.used, used);
        row.record.last_used_at = seen.last_used_at;
        row.record.client.clone_from(&seen.client);
        row.record.user_agent.clone_from(&seen.user_agent);
        sessions.by_use.remove(&before);
        sessions.by_use.insert(used, id.to_owned());
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        Ok(self.write().remove(id))
    }

    async fn delete_all(
        &self,
        whose: Whose<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let mut sessions = self.write();
        let chosen = |record: &&SessionRecord| {
            kinds.contains(&record.kind) && except.is_none_or(|except| record.id != except)
        };
        let ids: Vec<_> = match whose {
            Whose::User(id) => sessions.of_user(id).filter(chosen).map(|record| record.id.clone()).collect(),
            Whose::Everybody => {
                let records = sessions.rows.values().map(|row| &row.record);
                records.filter(chosen).map(|record| record.id.clone()).collect()
            }
        };
        Ok(sessions.remove_all(&ids))
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let mut sessions = self.write();
        let expired = sessions.rows.values().filter(|row| row.record.expires_at <= now);
        let ids: Vec<_> = expired.take(at_most as usize).map(|row| row.record.id.clone()).collect();
        Ok(sessions.remove_all(&ids))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn session(id: &str, user: &str, used: u64) -> SessionRecord {
        SessionRecord::new(id, user, SessionKind::Bearer, "state", at(used), at(1000))
    }

    async fn ids(sessions: &MemorySessions, user: &str) -> Vec<String> {
        let found = sessions.find_by_user(user, SessionKind::ALL).await.unwrap();
        let mut ids: Vec<_> = found.into_iter().map(|session| session.id).collect();
        ids.sort();
        ids
    }

    #[tokio::test]
    async fn a_full_repository_ends_the_least_recently_used_session() {
        let sessions = MemorySessions::with_capacity(3);
        for (id, used) in [("a", 1), ("b", 2), ("c", 3)] {
            sessions.create(session(id, "ada", used)).await.unwrap();
        }
        sessions.touch("a", &Seen::new(at(4))).await.unwrap();
        sessions.create(session("d", "ada", 5)).await.unwrap();
        assert_eq!(ids(&sessions, "ada").await, ["a", "c", "d"]);
        assert!(sessions.find("b").await.unwrap().is_none());
    }

    #[tokio::test]
    async fn ended_sessions_leave_nothing_behind() {
        let sessions = MemorySessions::new();
        for number in 0..100 {
            sessions.create(session(&number.to_string(), "ada", number)).await.unwrap();
            assert!(sessions.delete(&number.to_string()).await.unwrap());
        }
        let inner = sessions.read();
        assert!(inner.rows.is_empty() && inner.by_user.is_empty() && inner.by_use.is_empty());
    }

    #[tokio::test]
    async fn a_swap_requires_the_expected_state() {
        let sessions = MemorySessions::new();
        sessions.create(session("a", "ada", 1)).await.unwrap();
        assert!(!sessions.swap("a", "other", "new", at(9)).await.unwrap());
        assert!(sessions.swap("a", "state", "new", at(9)).await.unwrap());
        assert!(!sessions.swap("a", "state", "newer", at(9)).await.unwrap());
        assert!(!sessions.swap("b", "state", "new", at(9)).await.unwrap());
    }
}
