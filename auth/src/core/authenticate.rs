//! Authentication of a request: from the access token to its user and session.

use super::session::Session;
use super::{Core, SessionClaims};
use crate::client::Visitor;
use crate::error::AuthError;
use crate::user::{AuthUser, User, UserRecord};

/// The identity behind a request: the user and the session.
#[derive(Clone)]
#[non_exhaustive]
pub struct Identity {
    /// The user, as the repository returns it now.
    pub(crate) user: User,
    /// The claims of the access token.
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
}

impl Core {
    /// The claims of a valid access token whose session is alive. This reads the session's row and not the user's record.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::Unavailable`] when the session repository fails.
    pub(crate) async fn claims(
        &self,
        access_token: &str,
        visitor: &Visitor,
    ) -> Result<SessionClaims, AuthError> {
        let claims = self.sessions.open_access(access_token)?;
        let session = self.sessions.find(&claims).await?.ok_or(AuthError::Unauthenticated)?;
        self.used(&session, visitor);
        Ok(claims)
    }

    /// The user of an access token, if the token is valid, its session is alive, and the user exists, is active and has
    /// credentials that the session accepts.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] for each of these; any other error when one of the repositories fails.
    pub(crate) async fn authenticate(
        &self,
        access_token: &str,
        visitor: &Visitor,
    ) -> Result<Identity, AuthError> {
        let claims = self.sessions.open_access(access_token)?;
        match self.session_and_user(&claims).await? {
            (Some(row), Some(user)) => {
                self.used(&row, visitor);
                Ok(Identity { user, session: claims, row })
            }
            _ => Err(AuthError::Unauthenticated),
        }
    }

    /// The session of these claims and its user, which are read concurrently. The user is `None` if it is inactive or has
    /// other credentials than the session.
    pub(super) async fn session_and_user(
        &self,
        claims: &SessionClaims,
    ) -> Result<(Option<Session>, Option<User>), AuthError> {
        let user = async { Ok(self.users.find_by_id(&claims.sub).await?) };
        let (session, user) = tokio::try_join!(self.sessions.find(claims), user)?;
        let is_current = |user: &User| {
            let marks = self.sessions.marks_of(&**user);
            user.is_active() && session.as_ref().is_some_and(|session| session.accepts(&marks))
        };
        let user = user.filter(is_current);
        Ok((session, user))
    }

    fn used(&self, session: &Session, visitor: &Visitor) {
        self.sessions.touch_if_due(session, visitor);
        self.maintain_if_due();
    }

    /// The user with this id, if the user is active and `generation` is the mark of the current credentials.
    pub(crate) async fn current_user(&self, id: &str, generation: &str) -> Result<Option<User>, AuthError> {
        let user = self.users.find_by_id(id).await?;
        let is_current =
            |user: &User| user.is_active() && self.sessions.is_generation_of(generation, &**user);
        Ok(user.filter(is_current))
    }

    /// The mark of a user's current credentials (`gen`).
    pub(crate) fn generation_of(&self, user: &dyn UserRecord) -> String {
        self.sessions.generation_of(user)
    }
}
