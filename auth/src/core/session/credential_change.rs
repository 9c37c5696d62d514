//! What follows a change of a user's credentials (specification §11.6).

use super::TokenPair;
use crate::core::{Core, Identity};
use crate::error::AuthError;
use crate::user::AuthUser;

impl<U: AuthUser> Core<U> {
    /// Ends every session of the user but the acting one, and answers a fresh pair for that one: its tokens of before
    /// were issued under the credentials of before.
    pub(crate) async fn end_other_sessions(&self, who: &Identity<U>) -> Result<TokenPair, AuthError> {
        let user = self.users.find_by_id(who.user.id()).await?.ok_or(AuthError::Unauthenticated)?;
        self.sessions.end_other_sessions(&user, &who.session).await
    }
}
