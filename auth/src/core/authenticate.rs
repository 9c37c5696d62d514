//! Authentication of a request: from the access token to its user and session.

use super::{Core, SessionClaims};
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
    /// The claims of a valid access token whose session has not ended. The user's record is not read.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`]; [`AuthError::Unavailable`] when the store fails.
    pub(crate) async fn claims(&self, access_token: &str) -> Result<SessionClaims, AuthError> {
        self.sessions.open_access(access_token).await
    }

    /// The user of an access token, if the token is valid, its session has not ended, and the user exists, is active
    /// and has the credentials under which the token was issued.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] for each of these; any other error when the repository or the store fails.
    pub(crate) async fn authenticate(&self, access_token: &str) -> Result<Identity, AuthError> {
        let session = self.claims(access_token).await?;
        let user = self.current_user(&session.sub, &session.generation).await?;
        Ok(Identity { user: user.ok_or(AuthError::Unauthenticated)?, session })
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
