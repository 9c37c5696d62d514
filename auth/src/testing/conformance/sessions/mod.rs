//! The cases of [`SessionRepository`].

mod deletion;
mod everybody;
mod reading;
mod swaps;
mod together;
mod touches;

use super::failures::{Broken, Operation, ensure};
use super::fresh::{at, id, quoted, shown, token};
use super::suite::{Suite, cases};
use crate::repository::{LastUse, SessionKind, SessionOwner, SessionRecord, SessionRepository};
use std::sync::Arc;
use std::time::SystemTime;

cases! {
    SessionCases {
        reading {
            a_session_is_found_with_every_field: "`find` and `find_by_user` return every field as it was stored: every kind, and client and user agent set or null.";
            an_unknown_session_is_none: "`find` of an id that no session has is `Ok(None)`, not an error.";
            an_expired_session_is_found: "`find` and `find_by_user` return expired sessions, too: the library compares the times with its own clock.";
            sessions_are_found_by_user_and_kind: "`find_by_user` returns the user's sessions that are of one of the kinds; no kinds are no sessions.";
            ids_are_compared_exactly: "Session ids that differ in case are different ids. A column may need a binary collation.";
            user_ids_are_compared_exactly: "User ids that differ in case, by an accent or by a space at the end are different users, in `find_by_user` and in `delete_all`.";
            texts_are_stored_unchanged: "There is room for a state of 2 KiB, an address of 45 characters, a user agent of 256 and a user id of 255 characters.";
            times_are_stored_to_the_millisecond: "The three times read back to the millisecond, also 400 days ahead.";
        }
        swaps {
            a_swap_writes_the_state_and_the_end: "`swap` writes `state` and `expires_at`, and nothing else.";
            a_swap_requires_the_expected_state: "`swap` returns false and writes nothing if the state is another one or the session does not exist.";
            a_swap_to_the_same_state_succeeds: "`swap` returns true if the state was the expected one, also if nothing changes. On MySQL, the number of changed rows does not say that.";
            states_are_compared_exactly: "`swap` compares the state byte by byte: case and spaces count.";
        }
        touches {
            a_touch_writes_the_last_use: "`touch` writes `last_used_at`, `client` and `user_agent`, also null, and nothing else.";
            a_touch_of_nothing_creates_nothing: "`touch` of a session that does not exist succeeds and creates nothing.";
        }
        deletion {
            a_deleted_session_is_gone: "`delete` returns whether the session existed.";
            all_sessions_of_a_user_are_deleted: "`delete_all` of a user deletes the sessions of these kinds but for the one with the id `except`, and returns their number.";
            expired_sessions_are_deleted: "`delete_expired` deletes sessions with `expires_at` up to and including `now`, never later ones, at most so many, and returns their number.";
        }
        together {
            one_of_a_hundred_swaps_succeeds: "Of several calls of `swap` with one expected state at the same time, exactly one returns true, as with `UPDATE … WHERE state = …`.";
            a_swap_does_not_restore_a_deleted_session: "A session that was deleted stays deleted, whatever `swap` does at the same time.";
            a_touch_does_not_restore_a_deleted_session: "A session that was deleted stays deleted, whatever `touch` does at the same time.";
            a_touch_does_not_undo_a_swap: "`touch` writes only its three fields, not a session that it has read before.";
            a_hundred_new_sessions_are_stored: "SessionCases that are created at the same time are all there.";
        }
    }
    /// Checks a [`SessionRepository`]. [`Suite::alone`] adds a case that deletes everybody's sessions.
    pub fn sessions<R: SessionRepository>(repository: R) -> Suite<SessionCases> {
        Suite::new(SessionCases { repository: Arc::new(repository) }, cases())
    }
}

/// The cases for sessions, which check these.
#[derive(Clone)]
pub struct SessionCases {
    repository: Arc<dyn SessionRepository>,
}

impl Suite<SessionCases> {
    /// Also runs the case `everybodys_sessions_are_deleted`. It deletes all sessions, so use it only if nobody else uses
    /// the repository.
    pub fn alone(self) -> Self {
        self.with(everybody::cases())
    }
}

/// The times of the suite's sessions: whole seconds, so that an adapter that rounds fails the case about times alone, and
/// an end that the clean-up of a running host does not reach.
const STARTED: u64 = 1_795_000_001_000;
const ENDS: u64 = 4_000_000_003_000;

/// A session that nobody else has.
fn session(user: &str, kind: SessionKind) -> Result<SessionRecord, Broken> {
    Ok(SessionRecord::new(id()?, user, kind, format!("state {}", token()?), at(STARTED), at(ENDS)))
}

impl SessionCases {
    /// Creates a session of a new user.
    async fn create(&self) -> Result<SessionRecord, Broken> {
        self.store(session(&token()?, SessionKind::Bearer)?).await
    }

    async fn store(&self, session: SessionRecord) -> Result<SessionRecord, Broken> {
        self.repository.create(session.clone()).await.of("create")?;
        Ok(session)
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, Broken> {
        self.repository.find(id).await.of("find")
    }

    /// The ids of a user's sessions of these kinds, sorted.
    async fn of_user(&self, user: &str, kinds: &[SessionKind]) -> Result<Vec<String>, Broken> {
        let found = self.repository.find_by_user(user, kinds).await.of("find_by_user")?;
        let mut ids: Vec<_> = found.into_iter().map(|session| session.id).collect();
        ids.sort();
        Ok(ids)
    }

    async fn swap(
        &self,
        id: &str,
        expected: &str,
        state: &str,
        expires_at: SystemTime,
    ) -> Result<bool, Broken> {
        self.repository.swap(id, &expected.into(), &state.into(), expires_at).await.of("swap")
    }

    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), Broken> {
        self.repository.touch(id, seen).await.of("touch")
    }

    async fn delete(&self, id: &str) -> Result<bool, Broken> {
        self.repository.delete(id).await.of("delete")
    }

    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, Broken> {
        self.repository.delete_all(whose, kinds, except).await.of("delete_all")
    }

    /// Fails unless the stored session is this one. `place` says where: `after …`.
    async fn must_be(&self, expected: &SessionRecord, place: &str) -> Result<(), Broken> {
        let missing = || Broken::new(format!("{place}, `find` does not find the session"));
        must_be(&self.find(&expected.id).await?.ok_or_else(missing)?, expected, place)
    }

    /// Fails if there is a session with this id.
    async fn must_be_none(&self, id: &str, place: &str) -> Result<(), Broken> {
        ensure!(self.find(id).await?.is_none(), "{place}, `find` finds the session");
        Ok(())
    }
}

/// Fails if a field of the session differs.
fn must_be(found: &SessionRecord, expected: &SessionRecord, place: &str) -> Result<(), Broken> {
    fn texts(session: &SessionRecord) -> [(&'static str, Option<&str>); 6] {
        [
            ("id", Some(&session.id)),
            ("user_id", Some(&session.user_id)),
            ("kind", Some(session.kind.as_str())),
            ("state", Some(&session.state)),
            ("client", session.client.as_deref()),
            ("user_agent", session.user_agent.as_deref()),
        ]
    }
    fn times(session: &SessionRecord) -> [(&'static str, SystemTime); 3] {
        [
            ("created_at", session.created_at),
            ("last_used_at", session.last_used_at),
            ("expires_at", session.expires_at),
        ]
    }
    let text = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quoted);
    for ((field, found), (_, expected)) in texts(found).into_iter().zip(texts(expected)) {
        ensure!(found == expected, "{place}, `{field}` is {} instead of {}", text(found), text(expected));
    }
    for ((field, found), (_, expected)) in times(found).into_iter().zip(times(expected)) {
        ensure!(found == expected, "{place}, `{field}` is {} instead of {}", shown(found), shown(expected));
    }
    Ok(())
}
