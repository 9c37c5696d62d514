//! What follows a change of a user's credentials (contract §2).

use super::{Core, Identity, TokenPair};
use crate::error::AuthError;
use crate::user::AuthUser;

impl<U: AuthUser> Core<U> {
    /// Ends every session of the user but the acting one, and answers a fresh pair for that one: its tokens of before
    /// were issued under the credentials of before.
    pub(crate) async fn carry_on_alone(&self, who: &Identity<U>) -> Result<TokenPair, AuthError> {
        let user = self.users.find_by_id(who.user.id()).await?.ok_or(AuthError::Unauthenticated)?;
        self.sessions.carry_on_alone(&user, &who.session).await
    }
}
