//! Refresh, use and end of sessions, with their events and hooks.

use super::claims::OpenedKind;
use super::skew::SKEW;
use super::{Decision, Opened, Presented, Session, SessionIssuer, State, TokenPair, Use};
use crate::client::{ClientAddress, ClientInfo, Visitor};
use crate::clock::unix_seconds;
use crate::core::{Ceremonies, Core, Identity};
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::events::{EventKind, SessionEnd};
use crate::repository::SessionKind;
use crate::store::StoreKey;
use crate::telemetry::{cause, log, measure};
use crate::user::{User, UserRecord};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// How many expired rows of each kind are deleted at once.
const MAINTENANCE_ROWS: u32 = 1000;
/// For how long a clean-up continues at most while it finds as many as it can delete at once, and its pauses in between.
const MAINTENANCE_TIME: Duration = Duration::from_secs(60);
const MAINTENANCE_PAUSE: Duration = Duration::from_millis(20);

/// The result of presenting a refresh token.
enum Outcome {
    /// A new pair with this number.
    Renewed(u64),
    /// The token was used before.
    Reused,
    /// The credentials have changed since the token was issued.
    Outdated,
}

impl Core {
    /// Exchanges a refresh token for a new pair (specification §11.4).
    ///
    /// # Errors
    /// [`AuthError::InvalidRefreshToken`]; [`AuthError::RefreshTokenReused`] when the token was used before, which ends
    /// its session.
    pub(crate) async fn refresh(&self, token: &str, client: &ClientInfo) -> Result<TokenPair, AuthError> {
        let (opened, rotation) = self.sessions.open_refresh(token)?;
        let found = self.session_and_user(&opened).await?;
        let (session, user, marks) = found.ok_or(AuthError::InvalidRefreshToken)?;
        let sessions = &self.sessions;
        let presented = sessions.change(&session, |session| {
            if !sessions.accepts(session, &opened) {
                return Decision::Keep(Outcome::Outdated);
            }
            match sessions.present(&session.state, rotation) {
                Use::First { successor, record } => {
                    let mut state = State::clone(&session.state);
                    state.rotation = record;
                    state.renew(&marks);
                    Decision::Write(state, sessions.end_of(&session.state), Outcome::Renewed(successor))
                }
                Use::Again { successor } => Decision::Keep(Outcome::Renewed(successor)),
                Use::Reused => Decision::Keep(Outcome::Reused),
            }
        });
        match presented.await? {
            Some((session, Outcome::Renewed(number))) => {
                sessions.touch_if_due(&session, || client.clone());
                let mark = successor_mark(&opened, &session, &marks).ok_or(AuthError::InvalidRefreshToken)?;
                sessions.issue_pair(&session, mark, number)
            }
            Some((session, Outcome::Reused)) => {
                sessions.rows.delete(session.id()).await?;
                let event = EventKind::RefreshTokenReused { session_id: session.id().to_owned() };
                self.emit_about(event, &*user, client.address).await;
                let (id, by) = (user.id_text(), client.address.into());
                self.impersonation_has_ended(&id, session.id(), session.actor(), by).await;
                Err(AuthError::RefreshTokenReused)
            }
            Some((_, Outcome::Outdated)) | None => Err(AuthError::InvalidRefreshToken),
        }
    }

    /// Ends the session of this request. The user's other sessions continue. Of several logouts at once, one emits the event.
    pub(crate) async fn log_out(&self, who: &Identity, client: ClientAddress) -> Result<(), AuthError> {
        let session_id = who.session.session_id().to_owned();
        let has_ended = self.sessions.rows.delete(&session_id).await?;
        if has_ended {
            let (id, actor) = (who.user_id(), who.session.actor());
            self.events.emit(EventKind::Logout { session_id }, Some(id.clone()), client).await;
            self.impersonation_has_ended(&id, who.session.session_id(), actor, client.into()).await;
        }
        Ok(())
    }

    /// Ends the least recently used sessions of a user who has more than `max_per_user`. Impersonated sessions do not count.
    ///
    /// Of several logins at once, each sees the sessions of the others. So that they do not end each other's sessions until
    /// none is left, a session counts as more recently used than all that were created before it.
    pub(crate) async fn end_superseded_sessions(
        &self,
        user: &dyn UserRecord,
        started: &Session,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let user_id = user.id_text();
        let kinds = [SessionKind::Bearer, SessionKind::Browser];
        let records = self.sessions.rows.of_user(&user_id, &kinds).await?;
        let alive = records.into_iter().filter_map(|record| self.sessions.alive(record));
        let mut alive: Vec<_> = alive.filter(Session::is_own).collect();
        let superseded = alive.len().saturating_sub(self.config.sessions.max_per_user);
        if superseded == 0 {
            return Ok(());
        }
        let started = beginning(started);
        alive.sort_by_cached_key(|session| {
            let began = beginning(session);
            match began < started {
                true => (false, session.record.last_used_at, began),
                false => (true, session.record.created_at, began),
            }
        });
        for session in alive.iter().take(superseded) {
            if self.sessions.rows.delete(session.id()).await? {
                let reason = SessionEnd::Superseded;
                self.session_has_ended(session.into(), reason, client.into()).await;
            }
        }
        Ok(())
    }

    /// Ends the session of the cookie that came with a login or a registration: another session takes its place (ASVS
    /// 7.2.4).
    pub(crate) async fn end_replaced_session(
        &self,
        started: &Session,
        visitor: &Visitor,
    ) -> Result<(), AuthError> {
        let cookie = visitor.transport.cookies().and_then(|sent| sent.session.as_deref());
        let Some(Ok(opened)) = cookie.map(|value| self.sessions.open(Presented::SessionCookie(value))) else {
            return Ok(());
        };
        let Some(session) = self.sessions.find(&opened).await? else { return Ok(()) };
        if session.id() != started.id() && self.sessions.rows.delete(session.id()).await? {
            let (reason, client) = (SessionEnd::Superseded, visitor.address());
            self.session_has_ended((&session).into(), reason, client.into()).await;
        }
        Ok(())
    }

    /// Whether a feature has users prove that their addresses are theirs.
    pub(crate) fn verifies_addresses(&self) -> bool {
        self.hooks.iter().any(|hook| hook.verifies_addresses())
    }

    /// Whether a feature has every user prove by mail that the address is theirs.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) fn verifies_by_mail(&self) -> bool {
        self.hooks.iter().any(|hook| hook.verifies_by_mail())
    }

    /// Where addresses are verified, a way in is added only to an account whose address is: somebody else may have made the account.
    ///
    /// # Errors
    /// [`AuthError::EmailNotVerified`].
    pub(crate) fn require_verified_address(&self, who: &Identity) -> Result<(), AuthError> {
        let is_missing = self.verifies_addresses() && who.user().email_verified_at().is_none();
        if is_missing { Err(AuthError::EmailNotVerified) } else { Ok(()) }
    }

    /// Whether addresses change only once they are proven.
    pub(crate) fn changes_addresses(&self) -> bool {
        self.hooks.iter().any(|hook| hook.changes_addresses())
    }

    /// Whether an address is kept for the account that had it until lately, if that is another one than the account with this id.
    pub(crate) async fn is_reserved(&self, email: &str, for_user: Option<&str>) -> Result<bool, AuthError> {
        for hook in &self.hooks {
            if hook.is_reserved(self, email, for_user).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls the features' hooks for a user who is about to leave the address.
    pub(crate) async fn leaving_address(&self, user: &User) -> Result<(), AuthError> {
        for hook in &self.hooks {
            hook.leaving_address(self, user).await?;
        }
        Ok(())
    }

    /// Calls the features' hooks for the address that a user had before a change.
    pub(crate) fn address_left(&self, before: &dyn UserRecord) {
        for hook in &self.hooks {
            hook.address_left(self, before);
        }
    }

    /// Calls the features' hooks for a changed e-mail address. `who` is the session in which it has changed, unless an administrator has
    /// changed it, and `after` the record as it is now.
    pub(crate) async fn email_changed(
        &self,
        who: Option<&Identity>,
        before: &User,
        after: &User,
    ) -> Result<(), AuthError> {
        self.end_ceremonies(&[Ceremonies::OfMailbox], &after.id_text()).await?;
        for hook in &self.hooks {
            hook.email_changed(self, who, before, after).await?;
        }
        Ok(())
    }

    /// Ends all sessions of a user whose record the host is about to delete, and calls the features' hooks.
    pub(crate) async fn close_account(&self, user_id: &str) -> Result<(), AuthError> {
        let user = self.users.find_by_id(user_id).await?;
        let user = user.ok_or_else(|| AuthError::internal("there is no user with this id"))?;
        self.end_all_sessions(user_id).await?;
        self.forget_clients(user_id, ClientAddress::UNKNOWN).await?;
        for hook in &self.hooks {
            hook.account_closing(self, &user).await?;
        }
        Ok(())
    }

    /// Deletes what has expired now, at most a thousand sessions, entries of the store, and rows of each feature. Returns their number.
    pub(crate) async fn maintain(&self) -> Result<u64, AuthError> {
        let deleted = self.delete_expired().await?;
        self.maintain_features().await?;
        Ok(deleted.iter().sum())
    }

    /// Has each feature do what is due.
    async fn maintain_features(&self) -> Result<(), AuthError> {
        for hook in &self.hooks {
            hook.maintain(self).await?;
        }
        Ok(())
    }

    /// Deletes a portion, and returns how many sessions, entries of the store, and rows of each feature it had.
    async fn delete_expired(&self) -> Result<Vec<u64>, AuthError> {
        let mut deleted = vec![self.sessions.rows.delete_expired(self.now(), MAINTENANCE_ROWS).await?];
        deleted.push(self.store.delete_expired(MAINTENANCE_ROWS).await?);
        for hook in &self.hooks {
            deleted.push(hook.delete_expired(self, MAINTENANCE_ROWS).await?);
        }
        Ok(deleted)
    }

    /// Deletes all that has expired, for at most a minute: clients make more entries than a portion has while they stay within
    /// the limits.
    async fn maintain_all(&self) -> Result<(), AuthError> {
        let is_left = repeat(|| async {
            let deleted = self.delete_expired().await?;
            Ok(deleted.iter().any(|number| *number >= u64::from(MAINTENANCE_ROWS)))
        });
        measure::cleanup_unfinished(if is_left.await? { 1.0 } else { 0.0 });
        Ok(())
    }

    /// Starts a clean-up in the background if the last one was long ago. Of several instances, one runs it.
    pub(crate) fn maintain_if_due(&self) {
        let (now, last) = (unix_seconds(self.now()), self.sessions.maintained.load(Ordering::Relaxed));
        let interval = self.config.maintenance_interval;
        let is_due = now.saturating_sub(last) >= interval.as_secs();
        let maintained = &self.sessions.maintained;
        if !is_due || maintained.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let core = self.clone();
        self.background.spawn_apart("deleting what has expired or is due", async move {
            let is_ours = core.store.claim(StoreKey::Maintenance, &[], interval).await;
            let result = match is_ours {
                Ok(true) => core.maintain_all().await,
                Ok(false) => return,
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                log::expired_sessions_not_deleted(error.code().as_str());
            }
            // Also after an error: a deletion that is due does not wait for the sessions of others.
            if let Err(error) = core.maintain_features().await {
                log::due_work_not_done(error.code().as_str());
            }
        });
    }
}

/// Deletes portions while they are full, and returns whether the last one was: then there may be more.
async fn repeat<F>(mut portion: impl FnMut() -> F) -> Result<bool, AuthError>
where
    F: Future<Output = Result<bool, AuthError>>,
{
    let began = Instant::now();
    while portion().await? {
        if began.elapsed() >= MAINTENANCE_TIME {
            return Ok(true);
        }
        tokio::time::sleep(MAINTENANCE_PAUSE).await;
    }
    Ok(false)
}

/// The mark of what succeeds this refresh token: that of the user's credentials, if the token has one of them. Otherwise it keeps
/// its own, because a change of the credentials may be under way, at whose end the session refuses what was issued before.
fn successor_mark<'a>(opened: &'a Opened, session: &Session, marks: &'a KeyRing<String>) -> Option<&'a str> {
    match &opened.kind {
        OpenedKind::Token { mark } if !marks.any(|known| known == mark) => Some(mark),
        _ => session.mark_of(marks),
    }
}

/// When a session began, with its id: no two sessions are equal in it.
fn beginning(session: &Session) -> (SystemTime, String) {
    (session.record.created_at, session.id().to_owned())
}

impl SessionIssuer {
    /// Records the use of a session in the background, if the last recorded one is older than `touch_interval`.
    pub(in crate::core) fn touch_if_due(&self, session: &Session, client: impl FnOnce() -> ClientInfo) {
        if self.is_touch_due(session) {
            self.touch(session, &client());
        }
    }

    /// Whether the last recorded use of a session is older than `touch_interval`. A time that is further ahead than another
    /// instance's clock may be is none.
    pub(in crate::core) fn is_touch_due(&self, session: &Session) -> bool {
        match self.clock().now().duration_since(session.record.last_used_at) {
            Ok(age) => age >= self.touch_interval(session),
            Err(ahead) => ahead.duration() > SKEW,
        }
    }

    /// How old the recorded last use of a session can be. A browser session ends when it is idle, which needs a recent one;
    /// and its user's record is read for a recorded use, which must not be rarer than an access token expires.
    fn touch_interval(&self, session: &Session) -> Duration {
        let interval = self.config.sessions.touch_interval;
        match session.record.kind {
            SessionKind::Browser => {
                let idle = self.config.browser.idle(session.state.remembered) / 2;
                interval.min(idle).min(self.config.access_token_lifetime)
            }
            _ => interval,
        }
    }

    /// Records the use of a session in the background. Concurrent requests of one session write it once.
    fn touch(&self, session: &Session, client: &ClientInfo) {
        let (rows, touching) = (self.rows.clone(), Arc::clone(&self.touching));
        let (id, seen) = (session.id().to_owned(), self.seen(&session.state, client));
        if !touching.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone()) {
            return;
        }
        self.background.spawn("recording the last use of a session", async move {
            let touched = rows.touch(&id, &seen).await;
            touching.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            if let Err(error) = touched {
                log::last_use_not_recorded(cause(error.cause()));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::future::ready;

    #[tokio::test(start_paused = true)]
    async fn a_clean_up_continues_while_portions_are_full_and_for_a_minute_at_most() {
        let portions = Cell::new(0);
        let repeated = repeat(|| {
            portions.set(portions.get() + 1);
            ready(Ok(portions.get() < 7))
        });
        assert!(!repeated.await.unwrap(), "nothing is left");
        assert_eq!(portions.get(), 7);
        let began = Instant::now();
        assert!(repeat(|| ready(Ok(true))).await.unwrap());
        assert_eq!(began.elapsed(), MAINTENANCE_TIME);
        assert!(repeat(|| ready(Err(AuthError::Unauthenticated))).await.is_err());
    }
}
