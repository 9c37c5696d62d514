//! Repositories of sessions with one mistake each.

use super::{Checks, Gap, WAITS, wait};
use crate::repository::{
    LastUse, MemorySessions, RepositoryError, SessionKind, SessionOwner, SessionRecord, SessionRepository,
    SessionState,
};
use crate::testing::conformance;
use async_trait::async_trait;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// `fetch_one`, whose error for no row is passed on.
    NoneIsAnError,
    /// A new row has no client, only a touched one.
    NoClientAtFirst,
    /// A state of at most 1 KiB.
    ShortStates,
    /// User ids in a collation that ignores case.
    UserIdsIgnoreCase,
    /// A user has at most 50 sessions.
    FiftyForAUser,
    /// `UPDATE … WHERE id = ?`.
    StateIgnored,
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
    CheckThenSwap, DeleteIsTrue, EndNotMovedBack, EndsLater, ExceptionIgnored, ExpiredHidden, FiftyForAUser,
    KindsIgnored, NoClientAtFirst, NoLimit, NoneIsAnError, SameStateIsFalse, ShortStates, StateIgnored,
    StateIgnoresCase, TouchCreates, TouchKeepsTexts, TouchWritesTheRow, UserIdsIgnoreCase, WholeSeconds,
};

#[derive(Clone)]
struct Sessions {
    sessions: MemorySessions,
    mistake: Mistake,
    gap: Gap,
}

impl Sessions {
    fn user_id(&self, user_id: &str) -> String {
        if self.mistake == UserIdsIgnoreCase { user_id.to_lowercase() } else { user_id.to_owned() }
    }

    async fn is_stale(&self, id: &str, expected: &str) -> Result<bool, RepositoryError> {
        Ok(self.sessions.find(id).await?.is_none_or(|session| *session.state != *expected))
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
        match self.mistake {
            NoClientAtFirst => session.client = None,
            ShortStates => {
                let mut state = session.state.as_str().to_owned();
                state.truncate(1 << 10);
                session.state = state.into();
            }
            UserIdsIgnoreCase => session.user_id = session.user_id.to_lowercase(),
            FiftyForAUser if self.find_by_user(&session.user_id, SessionKind::ALL).await?.len() >= 50 => {
                return Ok(());
            }
            _ => {}
        }
        self.sessions.create(session).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        let found = self.sessions.find(id).await?;
        if self.mistake == NoneIsAnError && found.is_none() {
            return Err(RepositoryError::other("no rows returned"));
        }
        Ok(found.filter(|session| self.mistake != ExpiredHidden || session.expires_at > SystemTime::now()))
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let kinds = if self.mistake == KindsIgnored { SessionKind::ALL } else { kinds };
        self.sessions.find_by_user(&self.user_id(user_id), kinds).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let Some(stored) = self.sessions.find(id).await? else { return Ok(false) };
        match self.mistake {
            CheckThenSwap => {
                if self.is_stale(id, expected).await? {
                    return Ok(false);
                }
                let write = SessionRecord { state: state.clone(), expires_at, ..stored };
                self.gap.before(self.sessions.create(write)).await?;
                Ok(true)
            }
            SameStateIsFalse if *state == stored.state && expires_at == stored.expires_at => Ok(false),
            StateIgnoresCase if expected.eq_ignore_ascii_case(&stored.state) => {
                self.sessions.swap(id, &stored.state, state, expires_at).await
            }
            StateIgnored => self.sessions.swap(id, &stored.state, state, expires_at).await,
            EndNotMovedBack => {
                self.sessions.swap(id, expected, state, expires_at.max(stored.expires_at)).await
            }
            _ => self.sessions.swap(id, expected, state, expires_at).await,
        }
    }

    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError> {
        let stored = self.sessions.find(id).await?;
        match (self.mistake, stored) {
            (TouchWritesTheRow, Some(stored)) => {
                // A deletion that has begun ends before the row is written back, however busy the machine is.
                for _ in 0..WAITS {
                    if self.sessions.find(id).await?.is_none() {
                        break;
                    }
                    wait().await;
                }
                let LastUse { last_used_at, client, user_agent } = seen.clone();
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
        whose: SessionOwner<'_>,
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
    checks.each([
        (NoneIsAnError, "an_unknown_session_is_none", "`find` returned the error \"no rows returned\""),
        (
            NoClientAtFirst,
            "a_session_is_found_with_every_field",
            "after `create`, `client` is null instead of \"192.0.2.1\"",
        ),
        (
            ShortStates,
            "texts_are_stored_unchanged",
            "after `create`, `state` is \"ssssssssssssssssssssssssssssssssssssssss\"… (1024 bytes) instead of \"ssssssssssssssssssssssssssssssssssssssss\"… (2048 bytes)",
        ),
        (
            UserIdsIgnoreCase,
            "user_ids_are_compared_exactly",
            "`find_by_user` of \"AS-…\" finds a session of the user \"as-…\", whose id differs in case",
        ),
        (FiftyForAUser, "a_hundred_new_sessions_are_stored", "`find_by_user` finds … of 100 sessions"),
        (
            StateIgnored,
            "a_swap_requires_the_expected_state",
            "`swap` returned true although the state was not the expected one",
        ),
        (ExpiredHidden, "an_expired_session_is_found", "after `create`, `find` does not find the session"),
        (
            WholeSeconds,
            "times_are_stored_to_the_millisecond",
            "after `create`, `created_at` is 2026-11-18T11:06:41Z instead of 2026-11-18T11:06:41.789000000Z",
        ),
        (
            CheckThenSwap,
            "one_of_a_hundred_swaps_succeeds",
            "… of 100 concurrent calls of `swap` with one expected state returned true",
        ),
        (
            SameStateIsFalse,
            "a_swap_to_the_same_state_succeeds",
            "`swap` of a state to the same state and the same end returned false",
        ),
        (
            StateIgnoresCase,
            "states_are_compared_exactly",
            "`swap` returned true although the stored state differs in case from the expected one",
        ),
        (
            EndNotMovedBack,
            "a_swap_writes_the_state_and_the_end",
            "after a `swap`, `expires_at` is 2096-10-02T07:06:50Z instead of 2096-10-02T07:06:35Z",
        ),
        (
            TouchWritesTheRow,
            "a_touch_does_not_restore_a_deleted_session",
            "after a `delete` and a `touch` at the same time, `find` finds the session",
        ),
        (
            TouchKeepsTexts,
            "a_touch_writes_the_last_use",
            "after a `touch`, `user_agent` is \"curl/8.5.0\" instead of null",
        ),
        (
            TouchCreates,
            "a_touch_of_nothing_creates_nothing",
            "after a `touch` of a session that does not exist, `find` finds the session",
        ),
        (DeleteIsTrue, "a_deleted_session_is_gone", "a second `delete` of a session returned true"),
        (
            KindsIgnored,
            "sessions_are_found_by_user_and_kind",
            "`find_by_user` of the kinds [Bearer] returned 6 sessions, not exactly the 2 of these kinds",
        ),
        (
            ExceptionIgnored,
            "all_sessions_of_a_user_are_deleted",
            "`delete_all` of the kinds [Bearer, Browser] with one exception left 0 sessions of the user, not exactly the 1 that must stay",
        ),
        (
            EndsLater,
            "expired_sessions_are_deleted",
            "`delete_expired` returned 0 and left 1 sessions with `expires_at` up to and including `now`",
        ),
        (NoLimit, "expired_sessions_are_deleted", "`delete_expired` of at most 0 sessions returned 3"),
    ], |mistake| conformance::sessions(Sessions { sessions: MemorySessions::new(), mistake, gap: Gap::default() }).alone()).await;
    checks.end(&conformance::sessions(MemorySessions::new()).alone());
}
