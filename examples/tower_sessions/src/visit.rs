//! The data of a session of the library, in a store of tower-sessions.
//!
//! **The key.** The library's id of a session is 16 random bytes in base64url, and so is the text of an [`Id`]: the id is parsed, so two
//! sessions never have one key. No handler takes it from a request: it comes from [`SessionClaims`], which the library has checked.
//!
//! **The end.** A session that has ended has no row. `sessions.rs` sees every row that is deleted, and deletes the data after it.
//!
//! **A request that is under way while its session ends** may write after the data was deleted. So every write looks for the row
//! afterwards, and deletes what it has written if the row is gone ([`Visits::settle`]). If the row is still there at that moment, it is
//! deleted later, and the data after it. Either way nothing stays.
//!
//! **Two requests of one session.** tower-sessions reads and writes a record as a whole, so the second write would undo the first. Here the
//! requests of one session take turns.

use axum_auth_module::AuthError;
use axum_auth_module::repository::SessionRepository;
use axum_auth_module::services::SessionClaims;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use time::OffsetDateTime;
use tokio::sync::OwnedMutexGuard;
use tower_sessions::session::{Id, Record};
use tower_sessions::{Expiry, Session, SessionStore, session_store};
use tracing::Instrument;

/// Something that is kept for a visit, under a key of its own.
pub(crate) trait VisitData: Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    const KEY: &'static str;
}

/// The data of all sessions. Clones share it.
#[derive(Clone)]
pub(crate) struct Visits {
    pub(crate) sessions: Arc<dyn SessionRepository>,
    store: Arc<dyn SessionStore>,
    /// The sessions that may have data, by their ids: a store of tower-sessions cannot list what it has.
    known: Arc<Mutex<HashMap<String, Known>>>,
}

/// What is known of a session that may have data.
pub(crate) struct Known {
    pub(crate) user_id: String,
    /// When the session ends if nothing prolongs it. 1970 until the row is read.
    pub(crate) ends: SystemTime,
    /// The requests of a session change its data one after the other.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Known {
    fn of(user_id: String) -> Self {
        Self { user_id, ends: UNIX_EPOCH, turn: Arc::default() }
    }
}

impl Visits {
    pub(crate) fn new(sessions: impl SessionRepository, store: impl SessionStore) -> Self {
        Self { sessions: Arc::new(sessions), store: Arc::new(store), known: Arc::default() }
    }

    /// The data of the session, or the default.
    pub(crate) async fn read<D: VisitData>(&self, claims: &SessionClaims) -> Result<D, AuthError> {
        let session = self.session(claims.session_id(), claims.expires_at())?;
        Ok(session.get(D::KEY).await.map_err(AuthError::internal)?.unwrap_or_default())
    }

    /// Changes the data of the session, and returns it. If `change` fails, nothing is written.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended meanwhile: nothing stays then.
    pub(crate) async fn change<D: VisitData>(
        &self,
        claims: &SessionClaims,
        change: impl FnOnce(&mut D) -> Result<(), AuthError> + Send + 'static,
    ) -> Result<D, AuthError> {
        let (visits, id) = (self.clone(), claims.session_id().to_owned());
        let user_id = claims.user_id().to_owned();
        to_the_end(async move { visits.changed((&id, user_id), change).await })
            .await
            .map_err(AuthError::internal)?
    }

    async fn changed<D: VisitData>(
        &self,
        (id, user_id): (&str, String),
        change: impl FnOnce(&mut D) -> Result<(), AuthError> + Send,
    ) -> Result<D, AuthError> {
        // Before the row is read and anything is stored: a request that deletes or prolongs the row after this finds the data.
        self.lock().entry(id.to_owned()).or_insert_with(|| Known::of(user_id));
        let row = self.sessions.find(id).await?.ok_or(AuthError::Unauthenticated)?;
        let (turn, session) = self.open(id, row.expires_at).await?.ok_or(AuthError::Unauthenticated)?;
        let mut data: D = session.get(D::KEY).await.map_err(AuthError::internal)?.unwrap_or_default();
        change(&mut data)?;
        session.insert(D::KEY, &data).await.map_err(AuthError::internal)?;
        let saved = session.save().await;
        drop(turn);
        // Also if it was not saved: a store can fail after it has written.
        let is_alive = self.settle(id).await?;
        saved.map_err(AuthError::internal)?;
        if is_alive { Ok(data) } else { Err(AuthError::Unauthenticated) }
    }

    /// The row of the session says another end than before, as after a refresh of the tokens. The data is kept as long.
    pub(crate) async fn prolong(&self, id: &str, ends: SystemTime) -> Result<(), AuthError> {
        let Some((turn, session)) = self.open(id, ends).await? else { return Ok(()) };
        let saved = session.save().await;
        drop(turn);
        self.settle(id).await?;
        saved.map_err(AuthError::internal)
    }

    /// Waits for the turn of a session, which ends at this time or later, and opens its data. `None` if it is not known to
    /// have any.
    async fn open(
        &self,
        id: &str,
        ends: SystemTime,
    ) -> Result<Option<(OwnedMutexGuard<()>, Session)>, AuthError> {
        let turn = match self.lock().get_mut(id) {
            Some(known) => {
                known.ends = known.ends.max(ends);
                Arc::clone(&known.turn)
            }
            None => return Ok(None),
        };
        let turn = turn.lock_owned().await;
        let ends = self.lock().get(id).map(|known| known.ends);
        ends.map(|ends| Ok((turn, self.session(id, ends)?))).transpose()
    }

    /// Deletes the data of the session if the session has ended. Returns whether it is alive.
    async fn settle(&self, id: &str) -> Result<bool, AuthError> {
        let is_alive = self.sessions.find(id).await?.is_some();
        if !is_alive {
            self.store.delete(&key(id)?).await.map_err(AuthError::internal)?;
            self.lock().remove(id);
        }
        Ok(is_alive)
    }

    /// Deletes the data of a session that may have ended. If that fails, the data stays until the session would have ended; nobody can
    /// reach it, because no request has the session.
    pub(crate) async fn settle_or_log(&self, id: &str) {
        if let Err(error) = self.settle(id).await {
            tracing::error!(%error, "the data of a session that has ended is not deleted");
        }
    }

    /// Deletes the data of those of these sessions that have ended.
    pub(crate) async fn settle_all(&self, which: impl Fn(&Known) -> bool) {
        let known = |(id, known): (&String, &Known)| which(known).then(|| id.clone());
        let ids: Vec<_> = self.lock().iter().filter_map(known).collect();
        for id in ids {
            self.settle_or_log(&id).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        // No code panics in the middle of a change.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of tower-sessions for a session of the library that ends at this time.
    fn session(&self, id: &str, ends: SystemTime) -> Result<Session, AuthError> {
        let (key, ends) = (key(id)?, OffsetDateTime::from(ends));
        let store = OneVisit { store: Arc::clone(&self.store), ends };
        Ok(Session::new(Some(key), Arc::new(store), Some(Expiry::AtDateTime(ends))))
    }
}

/// The key of a session's data.
pub(crate) fn key(session_id: &str) -> Result<Id, AuthError> {
    session_id.parse().map_err(AuthError::internal)
}

/// Runs a task to its end, also if the client goes away, which drops the future of its request: a session that has ended must not keep its
/// data because nobody waits for it.
///
/// # Errors
/// If the task panics.
pub(crate) async fn to_the_end<T: Send + 'static>(
    task: impl Future<Output = T> + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    tokio::spawn(task.in_current_span()).await
}

/// The store as a [`Session`] sees it whose data may be missing. Without it a session without data would get another id: tower-sessions
/// takes it for a forged cookie.
#[derive(Debug)]
struct OneVisit {
    store: Arc<dyn SessionStore>,
    ends: OffsetDateTime,
}

#[axum_auth_module::async_trait]
impl SessionStore for OneVisit {
    /// The id is that of the library's session, and there is no other.
    async fn create(&self, _: &mut Record) -> session_store::Result<()> {
        Err(session_store::Error::Backend("the data of a session has the session's id".to_owned()))
    }

    async fn save(&self, record: &Record) -> session_store::Result<()> {
        self.store.save(record).await
    }

    async fn load(&self, id: &Id) -> session_store::Result<Option<Record>> {
        let empty = Record { id: *id, data: HashMap::new(), expiry_date: self.ends };
        Ok(Some(self.store.load(id).await?.unwrap_or(empty)))
    }

    async fn delete(&self, id: &Id) -> session_store::Result<()> {
        self.store.delete(id).await
    }
}
