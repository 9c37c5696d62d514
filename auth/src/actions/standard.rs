//! The actions that most hosts need.

use crate::actions::ActionError;
use crate::actions::{
    ActionContext, CreatesNewUsers, CreatesPasswordlessUsers, PasswordUpdateData,
    PasswordlessRegistrationData, ProfileData, RegistrationData, ResetsUserPasswords, UpdatesUserPasswords,
    UpdatesUserProfile, UsernameChange,
};
use crate::error::{FieldErrors, FieldText};
use crate::repository::RepositoryError;
use crate::user::{AuthUser, NewUser, UserChange, UserPatch};
use crate::values::NewPassword;
use async_trait::async_trait;

/// Implements every action as most hosts would: it hashes the password, writes the record, and leaves uniqueness to the
/// database.
///
/// It works for any user type, because the context of an action has the repository and the password service. A host with
/// other rules can use its source as a template.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardActions;

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> CreatesNewUsers<U> for StandardActions {
    /// Creates a user with name, address, user name and password hash. An address or a user name of another account is the
    /// conflict of specification §3.6.
    async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        let mut user = NewUser::new(data.name.as_str(), data.email.as_str(), hash);
        user.username = data.username.map(String::from);
        Ok(context.users().create(user).await?)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> CreatesPasswordlessUsers<U> for StandardActions {
    /// Creates a user with name, address and user name, who has no password. An address or a user name of another account is the
    /// conflict of specification §3.6.
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<U>,
    ) -> Result<U, ActionError> {
        let name = data.name.ok_or_else(|| FieldErrors::standard("name", FieldText::NameRequired))?;
        let mut user = NewUser::new(name, data.email, "");
        user.username = data.username.map(String::from);
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
    /// Stores name, address and user name. The same write marks a new address as unverified.
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
        let patch = match data.username {
            UsernameChange::Keep => patch,
            UsernameChange::Remove => patch.with(UserChange::Username(None)),
            UsernameChange::Set(username) => patch.with(UserChange::Username(Some(username.into()))),
        };
        context.users().save(patch).await?;
        Ok(())
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> UpdatesUserPasswords<U> for StandardActions {
    /// Stores the hash of the new password, if the current one has not changed meanwhile.
    async fn update(
        &self,
        user: &U,
        data: PasswordUpdateData,
        context: &ActionContext<U>,
    ) -> Result<(), ActionError> {
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
