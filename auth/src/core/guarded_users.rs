//! The host's user repository as an action receives it in its context: a guard writes some patches, and only if what the request
//! relies on still holds.

use super::users::erased;
use crate::repository::{RepositoryError, UserRepository};
use crate::user::{AuthUser, NewUser, User, UserChange, UserField, UserId, UserPatch};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::any::Any;
use std::sync::Arc;

/// Writes a patch if the record meets these conditions.
pub(crate) type Save<'a> =
    &'a (dyn Fn(Vec<UserChange>) -> BoxFuture<'a, Result<User, RepositoryError>> + Send + Sync);

/// Decides which patches of an action it writes, and how.
#[async_trait]
pub(crate) trait Guard: Send + Sync + 'static {
    /// Whether a patch of this user with these changes is the guard's to write. Any other one is written as it is.
    fn guards(&self, user_id: &str, changes: &[UserChange]) -> bool;

    /// The changes of a patch that the guard writes. Any other one is left out.
    fn written(&self, changes: &[UserChange]) -> Vec<UserChange> {
        changes.to_vec()
    }

    /// Writes these changes with `save`.
    async fn write(&self, changes: &[UserChange], save: Save<'_>) -> Result<User, RepositoryError>;
}

#[async_trait]
impl<G: Guard> Guard for Arc<G> {
    fn guards(&self, user_id: &str, changes: &[UserChange]) -> bool {
        G::guards(self, user_id, changes)
    }

    fn written(&self, changes: &[UserChange]) -> Vec<UserChange> {
        G::written(self, changes)
    }

    async fn write(&self, changes: &[UserChange], save: Save<'_>) -> Result<User, RepositoryError> {
        G::write(self, changes, save).await
    }
}

/// Whether a patch with these changes sets the password.
pub(super) fn sets_password(changes: &[UserChange]) -> bool {
    changes.iter().any(|change| change.field() == UserField::Password)
}

/// The host's repository behind a guard.
pub(crate) struct GuardedUsers<U: AuthUser, G> {
    users: Arc<dyn UserRepository<User = U>>,
    guard: G,
}

impl<U: AuthUser, G: Guard> GuardedUsers<U, G> {
    pub(crate) fn shared(
        users: &Arc<dyn UserRepository<User = U>>,
        guard: G,
    ) -> Arc<dyn UserRepository<User = U>> {
        Arc::new(Self { users: Arc::clone(users), guard })
    }
}

#[async_trait]
impl<U: AuthUser, G: Guard> UserRepository for GuardedUsers<U, G> {
    type User = U;

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, RepositoryError> {
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<U>, RepositoryError> {
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, RepositoryError> {
        if !self.guard.guards(&patch.id().to_text(), patch.changes()) {
            return self.users.save(patch).await;
        }
        let changes = self.guard.written(patch.changes());
        let save = |conditions: Vec<UserChange>| -> BoxFuture<'_, Result<User, RepositoryError>> {
            let patch = with_conditions(&patch, &changes, conditions);
            Box::pin(async move { Ok(erased(self.users.save(patch).await?)) })
        };
        let saved: Arc<dyn Any + Send + Sync> = self.guard.write(&changes, &save).await?;
        let other = |_| RepositoryError::other("the record is not of the module's user type");
        saved.downcast::<U>().map(Arc::unwrap_or_clone).map_err(other)
    }

    async fn create(&self, user: NewUser) -> Result<U, RepositoryError> {
        self.users.create(user).await
    }
}

/// A patch of the user with these changes, and with these conditions in place of its own conditions for the same fields.
fn with_conditions<U: AuthUser>(
    patch: &UserPatch<U>,
    changes: &[UserChange],
    conditions: Vec<UserChange>,
) -> UserPatch<U> {
    let changes = changes.iter().cloned().fold(UserPatch::new(patch.id().clone()), UserPatch::with);
    let is_replaced = |own: &UserChange| conditions.iter().any(|condition| condition.field() == own.field());
    let others: Vec<_> = patch.conditions().iter().filter(|own| !is_replaced(own)).cloned().collect();
    others.into_iter().chain(conditions).fold(changes, UserPatch::only_if)
}
