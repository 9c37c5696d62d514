//! Changes of credentials that were interrupted, because their process ended between two steps (specification §11.6).
//!
//! The row of the acting session says that a change has begun, and when. Its next use after the change can no longer run
//! reads the user's record, which says whether the change was written.

use super::{Decision, Opened, Session, State};
use crate::client::ClientAddress;
use crate::core::{Ceremonies, ChangedCredential, Core, Identity};
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::events::SessionEnd;
use crate::repository::SessionKind;
use crate::telemetry::{SessionId, log};
use std::sync::Arc;

impl Core {
    /// The session of this credential, if it is alive and accepts it. A change of the credentials that was interrupted in
    /// the session is completed first.
    pub(in crate::core) async fn session_of(&self, opened: &Opened) -> Result<Option<Session>, AuthError> {
        let Some(session) = self.sessions.find(opened).await? else { return Ok(None) };
        let now = self.sessions.milliseconds();
        if session.state.has_undated_changes() {
            return self.date_changes(opened, &session, now).await;
        }
        match session.state.has_interrupted_change(now) {
            true => self.complete_changes(opened, &session, now).await,
            false => Ok(Some(session)),
        }
    }

    /// Completes the changes that were interrupted. If one of them was written, it ends every session that began under the
    /// previous credentials, also the acting one: nobody has received its new tokens. Otherwise the session continues without
    /// the marks of these changes.
    async fn complete_changes(
        &self,
        opened: &Opened,
        session: &Session,
        now: u64,
    ) -> Result<Option<Session>, AuthError> {
        let Some(user) = self.users.find_by_id(&session.record.user_id).await? else { return Ok(None) };
        let marks = self.sessions.marks_of(&*user);
        if session.state.is_left_behind(&marks, now) {
            let claims = Arc::new(opened.clone()).in_session(session);
            self.end_sessions_of_before(&Identity { user, session: claims, row: session.clone() }, &marks)
                .await?;
            return Ok(None);
        }
        let taken_back = self.sessions.change(session, |session| {
            if !session.state.has_interrupted_change(now) || session.state.is_left_behind(&marks, now) {
                return Decision::Keep(());
            }
            let mut state = State::clone(&session.state);
            state.take_interrupted_changes_back(now);
            Decision::Write(state, session.record.expires_at, ())
        });
        let session = taken_back.await?.map(|(session, ())| session);
        Ok(session.filter(|session| self.sessions.accepts(session, opened)))
    }

    /// Ends the user's sessions that do not have these marks of the user's credentials, and the acting one last, so that the
    /// next use goes on if this one is interrupted. Sessions that began after the change continue.
    async fn end_sessions_of_before(&self, who: &Identity, marks: &KeyRing<String>) -> Result<(), AuthError> {
        let (user_id, acting) = (&who.row.record.user_id, who.row.id());
        let records = self.sessions.rows.of_user(user_id, SessionKind::ALL).await?;
        if !records.iter().any(|record| record.id == acting) {
            // Something else has ended the acting session: the marks may be those of before.
            return Ok(());
        }
        log::change_completed(SessionId(acting));
        let alive = records.into_iter().filter_map(|record| self.sessions.alive(record));
        for session in alive.filter(|session| session.id() != acting && !session.accepts(marks)) {
            match session.record.kind {
                SessionKind::Bearer | SessionKind::Browser => self.end_session_of_before(&session).await?,
                SessionKind::Device => self.sessions.end(&session).await?,
            }
        }
        self.end_ceremonies(&[Ceremonies::OfCredentials], user_id).await?;
        for hook in &self.hooks {
            // Marks do not tell which credential the interrupted change has changed. A change of the password requires more.
            hook.credentials_changed(self, who, ChangedCredential::Password).await?;
        }
        self.end_session_of_before(&who.row).await
    }

    /// Of several requests that complete a change at once, one emits the event.
    async fn end_session_of_before(&self, session: &Session) -> Result<(), AuthError> {
        if !self.sessions.rows.delete(session.id()).await? {
            return Ok(());
        }
        // The request that completes a change may be somebody else's than the one that began it.
        let (reason, client) = (SessionEnd::CredentialChange, ClientAddress::UNKNOWN);
        self.session_has_ended(session.into(), reason, client.into()).await;
        Ok(())
    }

    /// Records this time as the beginning of changes whose beginning is unknown.
    async fn date_changes(
        &self,
        opened: &Opened,
        session: &Session,
        now: u64,
    ) -> Result<Option<Session>, AuthError> {
        let dated = self.sessions.change(session, |session| {
            if !session.state.has_undated_changes() {
                return Decision::Keep(());
            }
            let mut state = State::clone(&session.state);
            state.date_changes(now);
            Decision::Write(state, session.record.expires_at, ())
        });
        let session = dated.await?.map(|(session, ())| session);
        Ok(session.filter(|session| self.sessions.accepts(session, opened)))
    }
}
