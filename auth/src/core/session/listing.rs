//! The sessions of a user, as a user or an administrator sees them, and their end.

use super::Session;
use crate::client::ClientAddress;
use crate::config::AuthConfig;
use crate::core::{By, Ceremonies, Core};
use crate::error::AuthError;
use crate::events::{EventKind, SessionEnd};
use crate::repository::{SessionKind, SessionOwner};
use futures_util::future::join_all;
use std::cmp::Reverse;
use std::time::SystemTime;

/// The kinds of sessions that a user sees.
const VISIBLE: &[SessionKind] = &[SessionKind::Bearer, SessionKind::Browser];

/// A session that has ended.
pub(super) struct Ended<'a> {
    pub(super) user_id: &'a str,
    pub(super) session_id: &'a str,
    /// Who has acted for the user in it.
    pub(super) actor: Option<&'a str>,
}

impl<'a> From<&'a Session> for Ended<'a> {
    fn from(session: &'a Session) -> Self {
        Self { user_id: &session.record.user_id, session_id: session.id(), actor: session.actor() }
    }
}

/// A session that is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session's id (`sid`).
    pub id: String,
    /// Whether it is the session of the request.
    pub current: bool,
    /// What the client keeps.
    pub kind: SessionKind,
    /// When the user signed in.
    pub created_at: SystemTime,
    /// When it was last used, up to `touch_interval` ago.
    pub last_used_at: SystemTime,
    /// When it ends without further requests.
    pub expires_at: SystemTime,
    /// The client's address when it was last used, if it is recorded.
    pub client: Option<String>,
    /// The client's `User-Agent` when it was last used, if it is recorded.
    pub user_agent: Option<String>,
    /// How the user signed in (RFC 8176): `["pwd"]`, or `["pwd", "otp", "mfa"]`; `rec` is a recovery code.
    pub authenticated_by: Vec<String>,
    /// Whether it outlives the browser's own session ("remember me").
    pub remembered: bool,
    /// Who acts for the user in it, if somebody does (specification §33).
    pub actor: Option<String>,
}

impl SessionInfo {
    fn of(session: Session, current: Option<&str>, config: &AuthConfig) -> Self {
        let expires_at = session.end(config);
        let Session { record, state } = session;
        Self {
            current: current == Some(record.id.as_str()),
            id: record.id,
            kind: record.kind,
            created_at: record.created_at,
            last_used_at: record.last_used_at,
            expires_at,
            client: record.client,
            user_agent: record.user_agent,
            authenticated_by: state.amr.clone(),
            remembered: state.remembered,
            actor: state.actor().map(str::to_owned),
        }
    }
}

impl Core {
    /// The sessions of a user that are alive: the current one first, then by their last use. A row that cannot be read is
    /// logged and left out.
    pub(crate) async fn sessions_of(
        &self,
        user_id: &str,
        current: Option<&str>,
    ) -> Result<Vec<SessionInfo>, AuthError> {
        let records = self.sessions.rows.of_user(user_id, VISIBLE).await?;
        let alive = records.into_iter().filter_map(|record| self.sessions.alive(record));
        let mut sessions: Vec<_> =
            alive.map(|session| SessionInfo::of(session, current, &self.config)).collect();
        sessions.sort_by_key(|session| (!session.current, Reverse(session.last_used_at)));
        Ok(sessions)
    }

    /// Ends a session of a user. Returns whether the user had it.
    pub(crate) async fn end_session(
        &self,
        user_id: &str,
        session_id: &str,
        reason: SessionEnd,
        by: impl Into<By>,
    ) -> Result<bool, AuthError> {
        let found = self.sessions.rows.find(session_id).await?;
        let session = found.and_then(|record| self.sessions.alive(record));
        let session = session
            .filter(|Session { record, .. }| record.user_id == user_id && VISIBLE.contains(&record.kind));
        let Some(session) = session else { return Ok(false) };
        if !self.sessions.rows.delete(session_id).await? {
            return Ok(false);
        }
        self.session_has_ended(Ended::from(&session), reason, by.into()).await;
        Ok(true)
    }

    /// Ends the sessions of a user, except for one, and the trust in all devices. Returns the number of sessions.
    pub(crate) async fn end_sessions(
        &self,
        user_id: &str,
        except: Option<&str>,
        reason: SessionEnd,
        by: impl Into<By>,
    ) -> Result<u64, AuthError> {
        self.end_rows(user_id, SessionKind::ALL, except, reason, by.into()).await
    }

    /// Ends the sessions of a user, except for one, and returns their number. Trusted devices stay.
    pub(crate) async fn end_visible_sessions(
        &self,
        user_id: &str,
        except: Option<&str>,
        reason: SessionEnd,
        by: impl Into<By>,
    ) -> Result<u64, AuthError> {
        self.end_rows(user_id, VISIBLE, except, reason, by.into()).await
    }

    /// Ends what a user has of these kinds, and returns the number of sessions that a user sees.
    async fn end_rows(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
        except: Option<&str>,
        reason: SessionEnd,
        by: By,
    ) -> Result<u64, AuthError> {
        let sessions = self.sessions_of(user_id, except).await?;
        self.sessions.rows.delete_all(SessionOwner::User(user_id), kinds, except).await?;
        // All at once, because a sink that is waited for would otherwise be waited for once for each session.
        let ended = sessions.iter().filter(|session| !session.current);
        let ended = ended.map(|session| {
            let ended = Ended { user_id, session_id: &session.id, actor: session.actor.as_deref() };
            self.session_has_ended(ended, reason, by)
        });
        let ended = join_all(ended).await;
        Ok(u64::try_from(ended.len()).unwrap_or(u64::MAX))
    }

    /// Emits the event of a session that was ended by something else than its own logout.
    pub(super) async fn session_has_ended(&self, ended: Ended<'_>, reason: SessionEnd, by: By) {
        let Ended { user_id, session_id, actor } = ended;
        let event = EventKind::SessionEnded { session_id: session_id.to_owned(), reason };
        self.events.emit_by(event, Some(user_id.to_owned()), by).await;
        self.impersonation_has_ended(user_id, session_id, actor, by).await;
    }

    /// The id of the user of a session that is alive.
    pub(crate) async fn owner_of(&self, session_id: &str) -> Result<Option<String>, AuthError> {
        let found = self.sessions.rows.find(session_id).await?;
        let session = found.and_then(|record| self.sessions.alive(record));
        let session = session.filter(|session| VISIBLE.contains(&session.record.kind));
        Ok(session.map(|session| session.record.user_id))
    }

    /// Ends all sessions of a user, and the trust in all devices, without an event for each, because something else has its own, and before that the ceremonies
    /// that could lead to others. The sessions end also if the store cannot be reached.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store or the sessions cannot be reached.
    pub(crate) async fn end_all_sessions(&self, user_id: &str) -> Result<u64, AuthError> {
        let ceremonies = self.end_ceremonies(&[Ceremonies::OfCredentials], user_id).await;
        let sessions = self.sessions_of(user_id, None).await;
        let ended =
            self.sessions.rows.delete_all(SessionOwner::User(user_id), SessionKind::ALL, None).await?;
        ceremonies?;
        for session in sessions? {
            self.impersonation_has_ended(
                user_id,
                &session.id,
                session.actor.as_deref(),
                ClientAddress::UNKNOWN.into(),
            )
            .await;
        }
        Ok(ended)
    }

    /// Ends the sessions of all users.
    pub(crate) async fn end_everybodys_sessions(&self) -> Result<u64, AuthError> {
        self.sessions.rows.delete_all(SessionOwner::Everybody, SessionKind::ALL, None).await
    }
}
