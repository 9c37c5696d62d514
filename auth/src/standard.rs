//! The actions for hosts that have nothing to add.

use crate::error::ActionError;
use crate::providers::{ActionContext, CreatesNewUsers, RegistrationData};
use crate::user::{AuthUser, NewUser};
use async_trait::async_trait;

/// Every action as most hosts would write it: hash, write, and let the database judge what is unique.
///
/// It works for any user type, for an action's context brings the repository and the password service. A host that
/// has more to say reads its source, takes what it needs, and writes its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardActions;

#[async_trait]
impl<U: AuthUser> CreatesNewUsers<U> for StandardActions {
    /// Creates a user of name, address and password hash. An address that is taken is the conflict of
    /// requirements §7.
    async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        let user = NewUser::new(data.name.as_str(), data.email.as_str(), hash);
        Ok(context.users().create(user).await?)
    }
}
