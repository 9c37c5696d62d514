//! The actions for hosts that have nothing to add.

use crate::actions::ActionError;
use crate::actions::{
    ActionContext, CreatesNewUsers, PasswordUpdateData, ProfileData, RegistrationData, ResetsUserPasswords,
    UpdatesUserPasswords, UpdatesUserProfile,
};
use crate::repository::RepositoryError;
use crate::user::{AuthUser, NewUser, UserChange, UserPatch};
use crate::values::NewPassword;
use async_trait::async_trait;

/// Every action as most hosts would write it: hash, write, and let the database judge what is unique.
///
/// It works for any user type, for an action's context brings the repository and the password service. A host that
/// has more to say reads its source, takes what it needs, and writes its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardActions;

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> CreatesNewUsers<U> for StandardActions {
    /// Creates a user of name, address and password hash. An address that is taken is the conflict of
    /// specification §3.6.
    async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        let user = NewUser::new(data.name.as_str(), data.email.as_str(), hash);
        Ok(context.users().create(user).await?)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> ResetsUserPasswords<U> for StandardActions {
    /// Stores the hash of the new password.
    async fn reset(
        &self,
        user: &U,
        password: &NewPassword,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError> {
        let hash = context.passwords().hash(password).await?;
        context.users().save(UserPatch::new(user.id().clone()).with(UserChange::Password(hash))).await?;
        Ok(())
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> UpdatesUserProfile<U> for StandardActions {
    /// Stores name and address. A new address is an unverified one, in the same write.
    async fn update(
        &self,
        user: &U,
        data: ProfileData,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError> {
        let patch = UserPatch::new(user.id().clone()).with(UserChange::Name(data.name.as_str().to_owned()));
        let patch = match data.email.as_str() == user.email() {
            true => patch,
            false => patch
                .with(UserChange::Email(data.email.as_str().to_owned()))
                .with(UserChange::EmailVerifiedAt(None)),
        };
        context.users().save(patch).await?;
        Ok(())
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> UpdatesUserPasswords<U> for StandardActions {
    /// Stores the hash of the new password if the current one is right, and is still the current one by then.
    async fn update(
        &self,
        user: &U,
        data: PasswordUpdateData,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError> {
        if !context.passwords().matches(&data.current_password, user.password()).await? {
            return Err(ActionError::incorrect_password());
        }
        let hash = context.passwords().hash(&data.password).await?;
        let patch = UserPatch::new(user.id().clone())
            .with(UserChange::Password(hash))
            .only_if(UserChange::Password(user.password().to_owned()));
        match context.users().save(patch).await {
            Err(RepositoryError::Stale) => Err(ActionError::incorrect_password()),
            saved => Ok(saved.map(drop)?),
        }
    }
}
