//! Changes of a user's credentials in a session (specification §11.6).
//!
//! The steps have this order, so that a change that overlaps the end of its session, a reset or another change loses:
//!
//! 1. The acting session's row gets the new mark and keeps the previous one. If it is gone, nothing has been written.
//! 2. The user's ceremonies under way end, the features' hooks run, and the record is written, if it still has the password hash
//!    under which the request was authenticated. Before a changed address is written, all other sessions end. If the acting session has
//!    ended by then, the record gets its previous values back: without a password, no hash tells that a lock down was faster.
//! 3. All other sessions of the user end. Ceremonies under way end and the features' hooks run once more.
//! 4. The row forgets the previous mark, and the session continues with new tokens.
//!
//! If the process ends between these steps, a later use of the acting session completes them (`interrupted.rs`).

use super::{Credentials, Decision, SWAPS, Session, SessionIssuer, State, Use};
use crate::client::ClientAddress;
use crate::clock::unix_seconds;
use crate::core::guarded_users::{Guard, Save, sets_password};
use crate::core::{Ceremonies, ChangedCredential, Core, Identity, Methods, Patch};
use crate::error::AuthError;
use crate::events::SessionEnd;
use crate::repository::{RepositoryError, SessionKind};
use crate::telemetry::log;
use crate::user::{User, UserChange};
use async_trait::async_trait;
use std::sync::{Mutex, PoisonError};

/// A change of credentials by the user of a request.
pub(crate) struct CredentialChange {
    core: Core,
    who: Identity,
    client: ClientAddress,
    written: Mutex<Option<Written>>,
}

/// What this request has written, and the session that continues.
struct Written {
    changed: ChangedCredential,
    begun: BegunChange,
}

/// The acting session after its first step.
struct BegunChange {
    session: Session,
    mark: String,
    /// Whether the mark is another one than before.
    is_moved: bool,
    /// The number of the refresh token that will be issued.
    number: u64,
}

impl CredentialChange {
    pub(crate) fn new(core: &Core, who: &Identity, client: ClientAddress) -> Self {
        Self { core: core.clone(), who: who.clone(), client, written: Mutex::new(None) }
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// Steps 1 and 2. `changes` must be what `save` writes.
    ///
    /// # Errors
    /// Those of `save`. If the session has ended, or the credentials have changed meanwhile, the error becomes
    /// [`AuthError::Unauthenticated`].
    pub(crate) async fn save(&self, changes: &[UserChange], save: Save<'_>) -> Result<User, RepositoryError> {
        let refused = || RepositoryError::other(AuthError::Unauthenticated);
        let changed = ChangedCredential::by(changes);
        let mut proven = User::clone(&self.who.user);
        for _ in 0..SWAPS {
            let mark = self.core.sessions.marks_after(&*proven, changes).into_current();
            let begun = self.begin(mark).await.map_err(RepositoryError::other)?;
            let begun = begun.ok_or_else(refused)?;
            let ended = async {
                self.end_ceremonies().await?;
                self.call_hooks(changed).await
            };
            if let Err(failure) = ended.await {
                self.undo(&begun).await;
                return Err(RepositoryError::other(failure));
            }
            if changed == ChangedCredential::Address {
                // The mark of a session does not tell that the address has changed, so nothing would end them after a crash.
                self.end_others(&begun).await.map_err(RepositoryError::other)?;
            }
            if !self.core.is_alive(&self.who).await.map_err(RepositoryError::other)? {
                return Err(refused());
            }
            match save(vec![UserChange::Password(proven.password().to_owned())]).await {
                Ok(user) => {
                    let is_alive = self.core.is_alive(&self.who).await;
                    if let Ok(false) = is_alive {
                        self.take_back(&proven, changes).await?;
                        return Err(refused());
                    }
                    let written = Written { changed, begun };
                    *self.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
                    return is_alive.map(|_| user).map_err(RepositoryError::other);
                }
                Err(RepositoryError::Stale) => {
                    self.undo(&begun).await;
                    let now = self.core.users.find_by_id(&self.who.user_id()).await?.ok_or_else(refused)?;
                    if self.core.sessions.mark_of(&*now) == self.core.sessions.mark_of(&*proven) {
                        // The credentials are the same, so another condition of the patch is not met.
                        return Err(RepositoryError::Stale);
                    }
                    let session = self.core.sessions.reload(&begun.session).await;
                    let session = session.map_err(RepositoryError::other)?.ok_or_else(refused)?;
                    let marks = [&*proven, &*now].map(|user| self.core.sessions.marks_of(user));
                    let [before, after] = &marks;
                    if !session.state.was_only_hashed_again(before, after) {
                        return Err(refused());
                    }
                    proven = now;
                }
                Err(error) => {
                    self.undo(&begun).await;
                    return Err(error);
                }
            }
        }
        Err(RepositoryError::other("the credentials changed with every attempt to write them"))
    }

    /// Gives the record the values from before these changes back, unless something else has changed them since.
    async fn take_back(&self, before: &User, changes: &[UserChange]) -> Result<(), RepositoryError> {
        let patch = changes.iter().fold(Patch::of(&**before), |patch, written| {
            match UserChange::of_record(written.field(), &**before) {
                Some(previous) => patch.with(previous).only_if(written.clone()),
                None => patch,
            }
        });
        match self.core.users.save(patch).await {
            Ok(_) | Err(RepositoryError::Stale) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Steps 1 and 2 for the removal of a way in that the stored credentials record does not contain, such as a passkey. The other
    /// sessions end before the removal: after a crash between the two, nothing would end them.
    ///
    /// # Errors
    /// Those of `remove`; [`AuthError::Unauthenticated`] if the session has ended.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    pub(crate) async fn remove(
        &self,
        remove: impl Future<Output = Result<bool, AuthError>>,
    ) -> Result<(), AuthError> {
        let changed = ChangedCredential::WayIn;
        let mark = self.core.sessions.mark_of(&*self.who.user);
        let begun = self.begin(mark).await?.ok_or(AuthError::Unauthenticated)?;
        self.end_ceremonies().await?;
        self.call_hooks(changed).await?;
        self.end_others(&begun).await?;
        if !remove.await? {
            return Err(AuthError::NotFound);
        }
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(Written { changed, begun });
        Ok(())
    }

    /// Whether the record was written through this change.
    pub(crate) fn is_written(&self) -> bool {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Steps 3 and 4. If an action has written the record by another way than its context, this reads the record.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended meanwhile.
    pub(crate) async fn finish(&self) -> Result<Credentials, AuthError> {
        self.finish_with(Methods::default()).await
    }

    /// The same for a change that has proven these methods in the session.
    ///
    /// # Errors
    /// Those of [`finish`](Self::finish).
    pub(crate) async fn finish_with(&self, proven: Methods) -> Result<Credentials, AuthError> {
        let core = &self.core;
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Written { changed, begun } = match written {
            Some(written) => written,
            None => self.read().await?.ok_or(AuthError::Unauthenticated)?,
        };
        self.end_others(&begun).await?;
        // If the store has failed, the session still refuses its earlier tokens. A challenge that began under the previous
        // credentials carries their mark, and is refused because of that mark.
        let ceremonies = self.end_ceremonies().await;
        self.call_hooks(changed).await?;
        let settled = core.sessions.change(&begun.session, |session| {
            let mut state = State::clone(&session.state);
            let now = unix_seconds(core.now());
            state.prove(proven, now);
            match state.settle(begun.mark.clone(), now) {
                Some(cookie) => Decision::Write(state, session.record.expires_at, cookie),
                None => Decision::Write(state, core.sessions.end_of(&session.state), begun.number),
            }
        });
        let (session, number) = settled.await?.ok_or(AuthError::Unauthenticated)?;
        ceremonies?;
        core.sessions.issue(&session, &begun.mark, number)
    }

    async fn end_others(&self, begun: &BegunChange) -> Result<(), AuthError> {
        let (id, acting, reason) = (self.who.user_id(), begun.session.id(), SessionEnd::CredentialChange);
        self.core.end_sessions(&id, Some(acting), reason, self.client).await.map(drop)
    }

    async fn end_ceremonies(&self) -> Result<(), AuthError> {
        self.core.end_ceremonies(&[Ceremonies::OfCredentials], &self.who.user_id()).await
    }

    async fn call_hooks(&self, changed: ChangedCredential) -> Result<(), AuthError> {
        for hook in &self.core.hooks {
            hook.credentials_changed(&self.core, &self.who, changed).await?;
        }
        Ok(())
    }

    async fn read(&self) -> Result<Option<Written>, AuthError> {
        let Some(user) = self.core.users.find_by_id(&self.who.user_id()).await? else { return Ok(None) };
        let begun = self.begin(self.core.sessions.mark_of(&*user)).await?;
        // Only the action that changes the password can write by another way.
        let changed = ChangedCredential::Password;
        Ok(begun.map(|begun| Written { changed, begun }))
    }

    /// Step 1: gives the row the new mark, and reserves the number of the next refresh token as a refresh would.
    async fn begin(&self, mark: String) -> Result<Option<BegunChange>, AuthError> {
        let sessions = &self.core.sessions;
        let begun = sessions.change(&self.who.row, |session| {
            let mut state = State::clone(&session.state);
            let number = sessions.reserve_number(&mut state);
            if !sessions.accepts(session, self.who.session.opened()) {
                return Decision::Keep(None);
            }
            let is_moved = state.begin_change(mark.clone(), sessions.milliseconds());
            Decision::Write(state, session.record.expires_at, Some((is_moved, number)))
        });
        let Some((session, Some((is_moved, number)))) = begun.await? else { return Ok(None) };
        Ok(Some(BegunChange { session, mark, is_moved, number }))
    }

    /// Takes step 1 back: the record was not written. After a failure a later use of the session does it
    /// ([`Core::session_of`]).
    async fn undo(&self, begun: &BegunChange) {
        if !begun.is_moved {
            return;
        }
        let undone = self.core.sessions.change(&begun.session, |session| {
            let mut state = State::clone(&session.state);
            match state.move_back(&begun.mark) {
                true => Decision::Write(state, session.record.expires_at, ()),
                false => Decision::Keep(()),
            }
        });
        if let Err(error) = undone.await {
            log::session_not_reset(error.code().as_str());
        }
    }
}

/// A change of the user's password is written as a change of credentials.
#[async_trait]
impl Guard for CredentialChange {
    fn guards(&self, user_id: &str, changes: &[UserChange]) -> bool {
        sets_password(changes) && user_id == self.who.user_id()
    }

    async fn write(&self, changes: &[UserChange], save: Save<'_>) -> Result<User, RepositoryError> {
        self.save(changes, save).await
    }
}

impl SessionIssuer {
    /// The number of the session's next refresh token, as if its newest one was presented now: an earlier token that is refreshed at
    /// the same time gets the same number.
    fn reserve_number(&self, state: &mut State) -> u64 {
        match self.present(state, state.rotation.next()) {
            Use::First { successor, record } => {
                state.rotation = record;
                successor
            }
            Use::Again { successor } => successor,
            Use::Reused => state.rotation.next(),
        }
    }
}

impl Core {
    /// Whether the session of a request has not ended.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    pub(crate) async fn is_alive(&self, who: &Identity) -> Result<bool, AuthError> {
        Ok(self.sessions.reload(&who.row).await?.is_some())
    }

    /// What the client keeps of a session in which a change of credentials found nothing to change: the next pair, as after a
    /// refresh, or the next cookie, as after a confirmation. Nothing ends by this.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended, or the credentials have changed meanwhile.
    pub(crate) async fn go_on(&self, who: &Identity) -> Result<Credentials, AuthError> {
        let (sessions, marks) = (&self.sessions, self.sessions.marks_of(&*who.user));
        let continued = sessions.change(&who.row, |session| {
            if !sessions.accepts(session, who.session.opened()) {
                return Decision::Keep(None);
            }
            let Some(mark) = session.mark_of(&marks) else { return Decision::Keep(None) };
            let mut state = State::clone(&session.state);
            let number = match &mut state.cookie {
                Some(cookie) => cookie.replace(),
                None => sessions.reserve_number(&mut state),
            };
            let end = match state.cookie {
                Some(_) => session.record.expires_at,
                None => sessions.end_of(&state),
            };
            Decision::Write(state, end, Some((mark.to_owned(), number)))
        });
        match continued.await? {
            Some((session, Some((mark, number)))) => sessions.issue(&session, &mark, number),
            Some((_, None)) | None => Err(AuthError::Unauthenticated),
        }
    }

    /// Must be called before a user's password is hashed again: gives the user's sessions the new mark, so that no
    /// request in between is refused, and neither is a reset that is under way.
    pub(crate) async fn password_rehashed(&self, user: &User, hash: &str) -> Result<(), AuthError> {
        self.hashed_again(user, hash).await?;
        let changes = [UserChange::Password(hash.to_owned())];
        let after = self.sessions.marks_after(&**user, &changes);
        let before = self.sessions.marks_of(&**user);
        let records = self.sessions.rows.of_user(&user.id_text(), SessionKind::ALL).await?;
        for session in records.into_iter().filter_map(|record| self.sessions.alive(record)) {
            let moved = self.sessions.change(&session, |session| {
                if !session.accepts(&before) || session.accepts(&after) {
                    return Decision::Keep(());
                }
                let mut state = State::clone(&session.state);
                state.hash_again(&before, &after);
                Decision::Write(state, session.record.expires_at, ())
            });
            moved.await?;
        }
        Ok(())
    }
}
