//! Sessions in memory: the default.

use super::session_repository::{LastUse, SessionKind, SessionOwner, SessionRecord, SessionRepository};
use super::session_state::SessionState;
use crate::repository::RepositoryError;
use crate::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use async_trait::async_trait;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

/// The default capacity in sessions. With a user agent each, they take about 150 MiB.
const CAPACITY: usize = 100_000;

/// The number of shards, each with a lock of its own.
const SHARDS: usize = 16;

/// A smaller repository has one shard, so that it ends exactly the least recently used session.
const SHARDED_FROM: usize = 1024;

/// A [`SessionRepository`] in the memory of one process; the default. A restart ends all sessions.
///
/// Its size is bounded. If it is full, the least recently used session of one of its 16 shards ends, or of all if the capacity is
/// below 1024. Clones share the sessions.
#[derive(Clone)]
pub struct MemorySessions(Arc<[RwLock<Shard>]>);

#[derive(Default)]
struct Shard {
    capacity: usize,
    rows: HashMap<Id, Row>,
    by_user: HashMap<String, HashSet<Id>>,
    by_use: BTreeMap<At, Id>,
    by_end: BTreeMap<At, Id>,
    /// The number of the next entry in one of the orders.
    next: u64,
}

/// The id of a session, which the maps share.
type Id = Arc<str>;

/// A time, and a number that makes it unique in its shard.
type At = (SystemTime, u64);

struct Row {
    record: SessionRecord,
    used: At,
    ends: At,
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
        let shards = if capacity < SHARDED_FROM { 1 } else { SHARDS };
        let capacity = (capacity / shards).max(1);
        Self((0..shards).map(|_| RwLock::new(Shard { capacity, ..Shard::default() })).collect())
    }

    // No operation panics in the middle of a change, so the data of a poisoned lock is consistent.

    fn read(&self, id: &str) -> RwLockReadGuard<'_, Shard> {
        self.shard(id).read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, id: &str) -> RwLockWriteGuard<'_, Shard> {
        self.shard(id).write().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the remainder is below the number of shards, which is at least one"
    )]
    fn shard(&self, id: &str) -> &RwLock<Shard> {
        let hash = id.bytes().fold(0_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        &self.0[hash % self.0.len()]
    }

    /// Writes to each shard, one after the other.
    fn write_each(&self) -> impl Iterator<Item = RwLockWriteGuard<'_, Shard>> {
        self.0.iter().map(|shard| shard.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shard {
    fn insert(&mut self, record: SessionRecord) {
        self.remove(&record.id);
        while self.rows.len() >= self.capacity {
            let Some((_, id)) = self.by_use.pop_first() else { break };
            self.remove(&id);
        }
        let id = Id::from(record.id.as_str());
        let (used, ends) = (self.at(record.last_used_at), self.at(record.expires_at));
        self.by_user.entry(record.user_id.clone()).or_default().insert(Arc::clone(&id));
        self.by_use.insert(used, Arc::clone(&id));
        self.by_end.insert(ends, Arc::clone(&id));
        self.rows.insert(id, Row { record, used, ends });
    }

    fn remove(&mut self, id: &str) -> bool {
        let Some(Row { record, used, ends }) = self.rows.remove(id) else { return false };
        self.by_use.remove(&used);
        self.by_end.remove(&ends);
        if let Some(ids) = self.by_user.get_mut(&record.user_id) {
            ids.remove(id);
            if ids.is_empty() {
                self.by_user.remove(&record.user_id);
            }
        }
        true
    }

    fn at(&mut self, time: SystemTime) -> At {
        self.next += 1;
        (time, self.next)
    }

    fn of_user(&self, user_id: &str) -> impl Iterator<Item = &SessionRecord> {
        let ids = self.by_user.get(user_id).into_iter().flatten();
        ids.filter_map(|id| self.rows.get(id)).map(|row| &row.record)
    }

    /// Returns the state that was replaced, if it was the expected one: freeing its memory takes long, and needs no lock.
    fn swap(
        &mut self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        end: SystemTime,
    ) -> Option<SessionState> {
        let ends = self.at(end);
        let id = Arc::clone(self.rows.get_key_value(id)?.0);
        let row = self.rows.get_mut(&id).filter(|row| row.record.state == *expected)?;
        let replaced = mem::replace(&mut row.record.state, state.clone());
        row.record.expires_at = end;
        let before = mem::replace(&mut row.ends, ends);
        self.by_end.remove(&before);
        self.by_end.insert(ends, id);
        Some(replaced)
    }

    fn touch(&mut self, id: &str, seen: &LastUse) {
        let used = self.at(seen.last_used_at);
        let Some(row) = self.rows.get_mut(id) else { return };
        row.record.last_used_at = seen.last_used_at;
        row.record.client.clone_from(&seen.client);
        row.record.user_agent.clone_from(&seen.user_agent);
        let before = mem::replace(&mut row.used, used);
        if let Some(id) = self.by_use.remove(&before) {
            self.by_use.insert(used, id);
        }
    }

    /// Removes the session that ends first, if it ends until this time.
    fn remove_expired(&mut self, now: SystemTime) -> bool {
        let Some(first) = self.by_end.first_entry().filter(|first| first.key().0 <= now) else {
            return false;
        };
        let id = first.remove();
        self.remove(&id)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl SessionRepository for MemorySessions {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.write(&session.id).insert(session);
        Ok(())
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        Ok(self.read(id).rows.get(id).map(|row| row.record.clone()))
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let mut found = Vec::new();
        for shard in &*self.0 {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            found.extend(shard.of_user(user_id).filter(|record| kinds.contains(&record.kind)).cloned());
        }
        Ok(found)
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let replaced = self.write(id).swap(id, expected, state, expires_at);
        Ok(replaced.is_some())
    }

    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError> {
        self.write(id).touch(id, seen);
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        Ok(self.write(id).remove(id))
    }

    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let chosen = |record: &&SessionRecord| {
            kinds.contains(&record.kind) && except.is_none_or(|except| record.id != except)
        };
        let mut deleted = 0;
        for mut shard in self.write_each() {
            let id = |record: &SessionRecord| record.id.clone();
            let ids: Vec<_> = match whose {
                SessionOwner::User(user_id) => shard.of_user(user_id).filter(chosen).map(id).collect(),
                SessionOwner::Everybody => {
                    shard.rows.values().map(|row| &row.record).filter(chosen).map(id).collect()
                }
            };
            deleted += ids.iter().filter(|id| shard.remove(id)).count() as u64;
        }
        Ok(deleted)
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let mut deleted = 0;
        for mut shard in self.write_each() {
            while deleted < u64::from(at_most) && shard.remove_expired(now) {
                deleted += 1;
            }
        }
        Ok(deleted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
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
        sessions.touch("a", &LastUse::new(at(4))).await.unwrap();
        sessions.create(session("d", "ada", 5)).await.unwrap();
        assert_eq!(ids(&sessions, "ada").await, ["a", "c", "d"]);
        assert!(sessions.find("b").await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_large_repository_is_bounded_in_each_shard() {
        let sessions = MemorySessions::with_capacity(1600);
        for number in 0..20_000_u64 {
            sessions.create(session(&format!("{:022}", number * 7919), "ada", number)).await.unwrap();
        }
        let sizes: Vec<_> = sessions.0.iter().map(|shard| shard.read().unwrap().rows.len()).collect();
        assert_eq!(sizes, [100; SHARDS]);
        assert_eq!(ids(&sessions, "ada").await.len(), 1600);
        assert_eq!(
            sessions.delete_all(SessionOwner::User("ada"), SessionKind::ALL, None).await.unwrap(),
            1600
        );
    }

    impl Shard {
        /// Whether each map contains exactly the sessions of `rows`.
        fn is_consistent(&self) -> bool {
            let by_user: usize = self.by_user.values().map(HashSet::len).sum();
            let is_listed = |(id, row): (&Id, &Row)| {
                self.by_use.get(&row.used) == Some(id)
                    && self.by_end.get(&row.ends) == Some(id)
                    && self.by_user.get(&row.record.user_id).is_some_and(|ids| ids.contains(id))
                    && (row.used.0, row.ends.0) == (row.record.last_used_at, row.record.expires_at)
                    && **id == *row.record.id
            };
            [self.by_use.len(), self.by_end.len(), by_user] == [self.rows.len(); 3]
                && self.rows.len() <= self.capacity
                && self.rows.iter().all(is_listed)
        }
    }

    proptest! {
        /// Any sequence of operations leaves maps that agree, and ends what has expired.
        #[test]
        fn the_maps_stay_consistent(
            operations in prop::collection::vec((0_u8..6, 0_u8..12, 0_u64..100), 1..200),
            capacity in 1_usize..12,
        ) {
            let sessions = MemorySessions::with_capacity(capacity);
            let run = async {
                for (operation, id, time) in operations {
                    let (name, user) = (id.to_string(), (id % 3).to_string());
                    let one = [SessionKind::Bearer];
                    match operation {
                        0 => sessions.create(session(&name, &user, time)).await.unwrap(),
                        1 => {
                            sessions.swap(&name, &"state".into(), &"state".into(), at(time)).await.unwrap();
                        }
                        2 => sessions.touch(&name, &LastUse::new(at(time))).await.unwrap(),
                        3 => drop(sessions.delete(&name).await.unwrap()),
                        4 => drop(sessions.delete_all(SessionOwner::User(&user), &one, Some("4")).await.unwrap()),
                        _ => {
                            let some = sessions.delete_expired(at(time), 2).await.unwrap();
                            let all = sessions.delete_expired(at(time), u32::MAX).await.unwrap();
                            assert!(some == 2 || all == 0);
                            let shard = sessions.read("");
                            assert!(shard.rows.values().all(|row| row.record.expires_at > at(time)));
                        }
                    }
                    assert!(sessions.read("").is_consistent());
                }
            };
            futures_util::FutureExt::now_or_never(run).expect("nothing waits");
        }
    }

    #[tokio::test]
    async fn a_swap_requires_the_expected_state() {
        let sessions = MemorySessions::new();
        sessions.create(session("a", "ada", 1)).await.unwrap();
        for (id, expected, state, swaps) in [
            ("a", "other", "new", false),
            ("a", "state", "new", true),
            ("a", "state", "newer", false),
            ("b", "state", "new", false),
        ] {
            assert_eq!(sessions.swap(id, &expected.into(), &state.into(), at(9)).await.unwrap(), swaps);
        }
    }
}
