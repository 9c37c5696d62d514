//! Where the sessions are stored (specification §3.7).

use super::session_state::SessionState;
use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::RepositoryError;
use async_trait::async_trait;
use std::fmt;
use std::time::SystemTime;

provider! { sessions;
/// Stores the sessions, one row for each.
///
/// [`MemorySessions`](super::MemorySessions) keeps them in memory and is the default; `axum_auth_module::sql::SqlSessions`
/// keeps them in a database (cargo feature `sqlite`). An implementation needs no knowledge of sessions: it stores rows and
/// compares texts. Every error becomes a 503 response.
///
/// Texts are compared byte by byte, so a column may need a binary collation. There must be room for a user id of 255
/// characters, which can be any Unicode. Times are whole milliseconds and must read back unchanged, up to 400 days ahead.
/// `axum_auth_module::testing::conformance::sessions` checks an implementation in a test of your own.
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: SESSION_REPOSITORY. Register an implementation of SessionRepository.",
    label = "`{Self}` does not implement `SessionRepository`",
    note = "write `impl axum_auth_module::repository::SessionRepository for {Self}`, or use `axum_auth_module::sql::SqlSessions` (cargo feature `sqlite`, `postgres` or `mysql`)"
)]
pub trait SessionRepository: Send + Sync + 'static {
    /// Stores a new session with all its fields. Its id is new. Ids that differ in case are different ids.
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError>; // needs #[async_trait]

    /// The session with this id, or `None`, which is not an error. An expired session is found, too: the library compares the
    /// times with its own clock.
    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError>; // needs #[async_trait]

    /// The sessions of a user that are of one of these kinds, in any order, expired ones included. Without kinds there are
    /// none. User ids that differ in case, by an accent or by a space at the end are different users.
    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError>; // needs #[async_trait]

    /// Writes both values if `state` still equals `expected`, and returns whether it did. The comparison and the write are
    /// one step, as an SQL `UPDATE … WHERE id = … AND state = …` is: of any number of concurrent calls with the same
    /// `expected`, at most one returns `true`. It writes no other field. The comparison is byte by byte.
    ///
    /// `true` says that the state was the expected one, also if the new values are the same as the old ones: the number of
    /// changed rows of MySQL does not say that. A session that does not exist, or that is deleted at the same time, is `false`
    /// and is not created again.
    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Writes `last_used_at`, `client` and `user_agent`, also null, and no other field: a concurrent [`swap`](Self::swap)
    /// keeps its effect. It is not an error if there is no such session; none is created.
    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError>; // needs #[async_trait]

    /// Deletes a session, and returns whether it existed. No concurrent operation brings it back.
    async fn delete(&self, id: &str) -> Result<bool, RepositoryError>; // needs #[async_trait]

    /// Deletes the sessions that are of one of these kinds, except for the one with the id `except`, which may also be
    /// nobody's or another user's. Returns their number. Without kinds it deletes nothing.
    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError>; // needs #[async_trait]

    /// Deletes sessions with `expires_at` up to and including `now`, at most so many. Returns their number, which is 0 only if
    /// none is left.
    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError>; // needs #[async_trait]

    provided!(dyn SessionRepository);
}
}

provider! { marker;
/// A [`SessionRepository`] that all instances of a host share, such as a database. `deployment: many` in `auth_module!`
/// requires it.
///
/// This is a marker trait without methods. An implementation promises that the next operation of any instance sees what
/// another instance has written, and that every operation is atomic across all instances.
#[diagnostic::on_unimplemented(
    message = "`deployment: many` needs sessions that all instances share, and `{Self}` is not marked as such a repository",
    label = "not marked with `SharedSessions`",
    note = "each of several instances would have its own sessions: a user who logged in at one would be unknown to the others",
    note = "use a repository over a database that all instances reach, such as `axum_auth_module::sql::SqlSessions`, marked with `axum_auth_module::repository::SharedSessions`; or write `deployment: one`"
)]
pub trait SharedSessions: SessionRepository {
    provided!(dyn SessionRepository);
}
}

/// A stored session.
///
/// It has no public constructor with all fields, because later versions can add some: an implementation starts with
/// [`SessionRecord::new`] and sets the others.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionRecord {
    /// The session's id: 22 characters of base64url. Tokens carry it as `sid`. It is not a secret.
    pub id: String,
    /// The user's id in its printed form.
    pub user_id: String,
    /// What the client keeps.
    pub kind: SessionKind,
    /// What only the library reads.
    pub state: SessionState,
    /// When the session started.
    pub created_at: SystemTime,
    /// When it was last used, up to `touch_interval` ago.
    pub last_used_at: SystemTime,
    /// When it ends without further requests.
    pub expires_at: SystemTime,
    /// The client's address at that time.
    pub client: Option<String>,
    /// What the client's `User-Agent` header said at that time: up to 256 characters of printable ASCII.
    pub user_agent: Option<String>,
}

impl SessionRecord {
    /// A session that starts now: it was last used at `created_at`, and nothing is known about its client.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        user_id: impl Into<String>,
        kind: SessionKind,
        state: impl Into<SessionState>,
        created_at: SystemTime,
        expires_at: SystemTime,
    ) -> Self {
        Self {
            id: id.into(),
            user_id: user_id.into(),
            kind,
            state: state.into(),
            created_at,
            last_used_at: created_at,
            expires_at,
            client: None,
            user_agent: None,
        }
    }
}

/// Shows neither the state nor personal data.
impl fmt::Debug for SessionRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, user_id, kind, expires_at, .. } = self;
        f.debug_struct("SessionRecord")
            .field("id", id)
            .field("user_id", user_id)
            .field("kind", kind)
            .field("expires_at", expires_at)
            .finish_non_exhaustive()
    }
}

/// What the client of a session keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionKind {
    /// An access token and a refresh token.
    Bearer,
    /// A cookie.
    Browser,
    /// Nothing yet: for devices that are trusted.
    Device,
}

impl SessionKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[Self::Bearer, Self::Browser, Self::Device];

    /// The kind as it is stored: `bearer`, `browser` or `device`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bearer => "bearer",
            Self::Browser => "browser",
            Self::Device => "device",
        }
    }

    /// The kind that is stored as this text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

/// The last use of a session.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastUse {
    /// When it was.
    pub last_used_at: SystemTime,
    /// The client's address, if it is known and recorded.
    pub client: Option<String>,
    /// The client's `User-Agent`, if it is known and recorded.
    pub user_agent: Option<String>,
}

impl LastUse {
    /// A use at this time by an unknown client.
    #[must_use]
    pub const fn new(last_used_at: SystemTime) -> Self {
        Self { last_used_at, client: None, user_agent: None }
    }
}

/// Whose sessions are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionOwner<'a> {
    /// Those of the user with this id.
    User(&'a str),
    /// Those of all users.
    Everybody,
}
