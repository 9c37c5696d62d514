//! The host's user repository with the record's type erased. Only this file and `guarded_users` use both the typed and the
//! erased trait.

use super::{ActingSession, Core, CredentialChange, Identity};
use crate::client::ClientAddress;
use crate::repository::{RepositoryError, UserRepository};
use crate::user::{AuthUser, Changes, User, UserChange, UserField, UserId, UserPatch, UserRecord};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
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

    /// Adds several conditions.
    pub(crate) fn only_if_all(self, conditions: Vec<UserChange>) -> Self {
        conditions.into_iter().fold(self, Self::only_if)
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
        let save = |conditions: Vec<UserChange>| -> BoxFuture<'_, Result<User, RepositoryError>> {
            Box::pin(self.users.save(patch.clone().only_if_all(conditions)))
        };
        change.save(patch.changes.changes(), &save).await?;
        Ok(change)
    }
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
