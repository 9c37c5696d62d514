//! Authentication of a request: from the access token or the session cookie to its user and session.

use super::session::{Opened, Presented, Session};
use super::{Core, SessionClaims};
use crate::client::ClientInfo;
use crate::config::AuthConfig;
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::telemetry::{Lazily, log};
use crate::user::{AuthUser, User, UserRecord};
use std::sync::Arc;
use std::time::SystemTime;

/// The identity behind a request: the user and the session.
#[derive(Clone)]
#[non_exhaustive]
pub struct Identity {
    /// The user, as the repository returns it now.
    pub(crate) user: User,
    /// What the access token or the session cookie says.
    pub session: SessionClaims,
    /// The session, as its row was read for this request.
    pub(crate) row: Session,
}

impl Identity {
    /// The user, as the repository returned it for this request.
    #[must_use]
    pub fn user(&self) -> &dyn UserRecord {
        &*self.user
    }

    /// The user as the host's type, or `None` when `U` is not the type of the module's users.
    #[must_use]
    pub fn record<U: AuthUser>(&self) -> Option<&U> {
        self.user.record()
    }

    pub(crate) fn user_id(&self) -> String {
        self.user.id_text()
    }

    /// When the session ends without further requests.
    pub(crate) fn session_end(&self, config: &AuthConfig) -> SystemTime {
        self.row.end(config)
    }
}

/// The refusal of a credential whose session does not accept it. The log alone has the reason.
fn has_ended() -> AuthError {
    log::unauthenticated(Lazily(
        || "the session has ended, or its user is suspended or gone, or the password has changed",
    ));
    AuthError::Unauthenticated
}

impl Core {
    /// The claims of a valid credential whose session is alive. This reads the session's row. It reads the user's record only
    /// for a session cookie whose use is recorded now, because a cookie lives longer than an access token.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; any other error when one of the repositories fails.
    pub(crate) async fn claims(
        &self,
        presented: Presented<'_>,
        client: impl FnOnce() -> ClientInfo,
    ) -> Result<SessionClaims, AuthError> {
        let opened = self.open(presented)?;
        let session = self.session_of(&opened).await?.ok_or_else(has_ended)?;
        if self.is_user_due(&session) {
            let user = self.users.find_by_id(&opened.user_id).await?;
            self.marks_in(&session, user.as_ref()).ok_or_else(has_ended)?;
        }
        self.used(&session, client);
        Ok(opened.in_session(&session))
    }

    /// The claims of a credential that is valid now. The log says why another one is refused.
    fn open(&self, presented: Presented<'_>) -> Result<Arc<Opened>, AuthError> {
        self.sessions
            .open(presented)
            .inspect_err(|_| log::unauthenticated(Lazily(|| self.sessions.why_refused(presented))))
    }

    /// Whether the user's record must be read before a use of the session counts. Every recorded use of a browser session
    /// was preceded by such a reading, so its cookie is accepted for as long after the user is gone as a use is not recorded.
    fn is_user_due(&self, session: &Session) -> bool {
        session.is_browser() && self.sessions.is_touch_due(session)
    }

    /// The marks of the credentials of the session's user, if the user exists, is active and has credentials that the session
    /// accepts.
    fn marks_in(&self, session: &Session, user: Option<&User>) -> Option<Arc<KeyRing<String>>> {
        let user = user.filter(|user| user.is_active())?;
        Some(self.sessions.marks_of(&**user)).filter(|marks| session.accepts(marks))
    }

    /// Whether the credential was issued by this module and has not expired. Its session may have ended.
    pub(crate) fn is_genuine(&self, presented: Presented<'_>) -> bool {
        self.sessions.open(presented).is_ok()
    }

    /// The user of a credential, if it is valid, its session is alive, and the user exists, is active and has credentials
    /// that the session accepts.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] for each of these; any other error when one of the repositories fails.
    pub(crate) async fn authenticate(
        &self,
        presented: Presented<'_>,
        client: impl FnOnce() -> ClientInfo,
    ) -> Result<Identity, AuthError> {
        let opened = self.open(presented)?;
        let (row, user, _) = self.session_and_user(&opened).await?.ok_or_else(has_ended)?;
        self.used(&row, client);
        Ok(Identity { user, session: opened.in_session(&row), row })
    }

    /// The user of a browser session, for a request from another site, with which the browser does not send the session cookie. The caller
    /// knows by another proof that the request is one of this session's browser.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended; any other error when one of the repositories fails.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) async fn identity_of_browser(&self, session_id: &str) -> Result<Identity, AuthError> {
        let opened =
            self.sessions.open_browser_session(session_id).await?.ok_or(AuthError::Unauthenticated)?;
        let opened = Arc::new(opened);
        let (row, user, _) = self.session_and_user(&opened).await?.ok_or(AuthError::Unauthenticated)?;
        Ok(Identity { user, session: opened.in_session(&row), row })
    }

    /// The session of this credential, its user, and the marks of the user's credentials. Session and user are read
    /// concurrently. `None` if the session is not alive, or if the user does not exist, is inactive or has other credentials
    /// than the session.
    pub(super) async fn session_and_user(
        &self,
        opened: &Opened,
    ) -> Result<Option<(Session, User, Arc<KeyRing<String>>)>, AuthError> {
        let user = async { Ok(self.users.find_by_id(&opened.user_id).await?) };
        let (session, user) = tokio::try_join!(self.session_of(opened), user)?;
        let Some((session, user)) = session.zip(user) else { return Ok(None) };
        let marks = self.marks_in(&session, Some(&user));
        Ok(marks.map(|marks| (session, user, marks)))
    }

    /// Records the use of a session. The client is only asked for if that is due.
    fn used(&self, session: &Session, client: impl FnOnce() -> ClientInfo) {
        self.sessions.touch_if_due(session, client);
        self.maintain_if_due();
    }

    /// The user with this id, if the user is active and `mark` is the mark of the current credentials.
    pub(crate) async fn current_user(&self, id: &str, mark: &str) -> Result<Option<User>, AuthError> {
        let user = self.users.find_by_id(id).await?;
        let is_current = |user: &User| user.is_active() && self.sessions.is_mark_of(mark, &**user);
        Ok(user.filter(is_current))
    }

    /// Whether this is the mark of the user's current credentials.
    pub(crate) fn is_mark_of(&self, mark: &str, user: &dyn UserRecord) -> bool {
        self.sessions.is_mark_of(mark, user)
    }

    /// The mark of a user's current credentials (`gen`).
    pub(crate) fn mark_of(&self, user: &dyn UserRecord) -> String {
        self.sessions.mark_of(user)
    }
}
