//! From a bearer token to the user it stands for.

use super::{Core, SessionClaims};
use crate::error::AuthError;
use crate::user::{AuthUser, UserId};

/// Who makes a request: the user and the session.
#[derive(Clone)]
#[non_exhaustive]
pub struct Identity<U> {
    /// The user, as the repository has it now.
    pub user: U,
    /// What the access token says.
    pub session: SessionClaims,
}

impl<U: AuthUser> Core<U> {
    /// The user of an access token, if the token counts, its session lives, and the user is there, active and has
    /// the credentials under which the token was issued.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] for each of these; anything else when the repository or the store fails.
    pub(crate) async fn authenticate(&self, access_token: &str) -> Result<Identity<U>, AuthError> {
        let session = self.sessions.open_access(access_token).await?;
        let user = self.current_user(&session).await?.ok_or(AuthError::Unauthenticated)?;
        Ok(Identity { user, session })
    }

    /// The user that a token was issued to, if nothing has happened since that makes the token worthless.
    pub(crate) async fn current_user(&self, claims: &SessionClaims) -> Result<Option<U>, AuthError> {
        let Some(id) = U::Id::from_text(&claims.sub) else { return Ok(None) };
        let user = self.users.find_by_id(&id).await?;
        Ok(user.filter(|user| user.is_active() && self.sessions.is_generation_of(&claims.generation, user)))
    }
}
