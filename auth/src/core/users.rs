//! The host's user repository with the record's type erased. Only this file and `reset_write` use both the typed and the
//! erased trait.

use super::{ActingSession, Core, CredentialChange, Identity};
use crate::client::ClientAddress;
use crate::repository::{RepositoryError, UserRepository};
use crate::user::{AuthUser, Changes, NewUser, User, UserChange, UserField, UserId, UserPatch, UserRecord};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::any::Any;
use std::sync::Arc;

/// The host's user repository. Ids are strings, in their printed form.
#[async_trait]
pub(crate) trait Users: Send + Sync + 'static {
    async fn find_by_id(&self, id: &str) -> Result<Option<User>, RepositoryError>;
    async fn find_by_email(&self, email: &str) -> Result<Option<User>, RepositoryError>;
    async fn save(&self, patch: Patch) -> Result<User, RepositoryError>;
}

/// A [`UserPatch`] without the record's type.
#[derive(Clone)]
pub(crate) struct Patch {
    id: String,
    changes: Changes,
}

impl Patch {
    /// A patch of this user's record that changes nothing yet.
    pub(crate) fn of(user: &dyn UserRecord) -> Self {
        Self { id: user.id_text(), changes: Changes::default() }
    }

    /// Adds a change.
    pub(crate) fn with(self, change: UserChange) -> Self {
        Self { changes: self.changes.with(change), ..self }
    }

    /// Makes the patch conditional; see [`UserPatch::only_if`].
    pub(crate) fn only_if(self, current: UserChange) -> Self {
        Self { changes: self.changes.only_if(current), ..self }
    }
}

impl Core {
    /// Writes a patch that changes the credentials of the user of a request. The change must then be finished.
    ///
    /// # Errors
    /// Those of [`CredentialChange::save`].
    pub(crate) async fn change_credentials(
        &self,
        who: &Identity,
        patch: Patch,
        client: ClientAddress,
    ) -> Result<CredentialChange, RepositoryError> {
        let change = CredentialChange::new(self, who, client);
        let save = |hash: String| -> BoxFuture<'_, Result<User, RepositoryError>> {
            Box::pin(self.users.save(patch.clone().only_if(UserChange::Password(hash))))
        };
        change.save(patch.changes.changes(), &save).await?;
        Ok(change)
    }
}

/// The host's repository during a [`CredentialChange`]: a patch of the user's password is written as the change requires.
/// An action of the host receives it in its context.
pub(crate) struct ChangingCredentials<U: AuthUser> {
    pub(crate) users: Arc<dyn UserRepository<User = U>>,
    pub(crate) change: Arc<CredentialChange>,
}

#[async_trait]
impl<U: AuthUser> UserRepository for ChangingCredentials<U> {
    type User = U;

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, RepositoryError> {
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<U>, RepositoryError> {
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, RepositoryError> {
        let changes_password = patch.changes().iter().any(|change| change.field() == UserField::Password);
        if !changes_password || patch.id().to_text() != self.change.user_id() {
            return self.users.save(patch).await;
        }
        let save = |hash: String| -> BoxFuture<'_, _> { save_if(&self.users, &patch, hash) };
        typed(self.change.save(patch.changes(), &save).await?)
    }

    async fn create(&self, user: NewUser) -> Result<U, RepositoryError> {
        self.users.create(user).await
    }
}

/// The host's repository in the name of a session: a patch of the user's own record is written as an [`ActingSession`] writes. An
/// action of the host receives it in its context.
pub(crate) struct UsersInSession<U: AuthUser> {
    pub(crate) users: Arc<dyn UserRepository<User = U>>,
    pub(crate) acting: ActingSession,
}

#[async_trait]
impl<U: AuthUser> UserRepository for UsersInSession<U> {
    type User = U;

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, RepositoryError> {
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<U>, RepositoryError> {
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, RepositoryError> {
        if patch.id().to_text() != self.acting.who().user_id() {
            return self.users.save(patch).await;
        }
        let save = |hash: String| -> BoxFuture<'_, _> { save_if(&self.users, &patch, hash) };
        typed(self.acting.save_with(&save).await?)
    }

    async fn create(&self, user: NewUser) -> Result<U, RepositoryError> {
        self.users.create(user).await
    }
}

/// Saves the patch if the record has this password hash.
fn save_if<'a, U: AuthUser>(
    users: &'a Arc<dyn UserRepository<User = U>>,
    patch: &UserPatch<U>,
    hash: String,
) -> BoxFuture<'a, Result<User, RepositoryError>> {
    let patch = with_conditions(patch, vec![UserChange::Password(hash)]);
    Box::pin(async move { Ok(erased(users.save(patch).await?)) })
}

/// The record as the host's type.
fn typed<U: AuthUser>(user: User) -> Result<U, RepositoryError> {
    let user: Arc<dyn Any + Send + Sync> = user;
    let other = |_| RepositoryError::other("the record is not of the module's user type");
    user.downcast::<U>().map(Arc::unwrap_or_clone).map_err(other)
}

/// The patch with these conditions, in place of its own conditions for the same fields.
pub(super) fn with_conditions<U: AuthUser>(
    patch: &UserPatch<U>,
    conditions: Vec<UserChange>,
) -> UserPatch<U> {
    let changes = patch.changes().iter().cloned().fold(UserPatch::new(patch.id().clone()), UserPatch::with);
    let is_replaced = |own: &UserChange| conditions.iter().any(|condition| condition.field() == own.field());
    let others: Vec<_> = patch.conditions().iter().filter(|own| !is_replaced(own)).cloned().collect();
    others.into_iter().chain(conditions).fold(changes, UserPatch::only_if)
}

/// Implements [`Users`] with the host's repository.
pub(crate) struct Erased<U: AuthUser>(pub(crate) Arc<dyn UserRepository<User = U>>);

#[async_trait]
impl<U: AuthUser> Users for Erased<U> {
    async fn find_by_id(&self, id: &str) -> Result<Option<User>, RepositoryError> {
        let Some(id) = U::Id::from_text(id) else { return Ok(None) };
        Ok(self.0.find_by_id(&id).await?.map(erased))
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<User>, RepositoryError> {
        Ok(self.0.find_by_field(UserField::Email, email).await?.map(erased))
    }

    async fn save(&self, Patch { id, changes }: Patch) -> Result<User, RepositoryError> {
        let invalid_id = || RepositoryError::other("the user's id cannot be parsed from its printed form");
        let id = U::Id::from_text(&id).ok_or_else(invalid_id)?;
        Ok(erased(self.0.save(UserPatch::of(id, changes)).await?))
    }
}

pub(super) fn erased<U: AuthUser>(user: U) -> User {
    Arc::new(user)
}
