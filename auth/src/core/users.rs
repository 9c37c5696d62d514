//! The host's user repository with the record's type erased. Only this file and `guarded_users` use both the typed and the
//! erased trait.

use super::{ActingSession, Core, CredentialChange, Identity};
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::repository::{RepositoryError, UserRepository};
use crate::user::{AuthUser, Changes, User, UserChange, UserField, UserId, UserPatch, UserRecord};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// How often a save is tried when other requests change the record at the same time.
const SAVES: usize = 32;

/// The host's user repository. Ids are strings, in their printed form.
#[async_trait]
pub(crate) trait Users: Send + Sync + 'static {
    async fn find_by_id(&self, id: &str) -> Result<Option<User>, RepositoryError>;
    async fn find_by_email(&self, email: &str) -> Result<Option<User>, RepositoryError>;
    async fn find_by_username(&self, username: &str) -> Result<Option<User>, RepositoryError>;
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

    /// Whether it changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.changes().is_empty()
    }

    /// Adds several conditions.
    pub(crate) fn only_if_all(self, conditions: Vec<UserChange>) -> Self {
        conditions.into_iter().fold(self, Self::only_if)
    }
}

impl Core {
    /// The user, unless the account is suspended or is going to be deleted: for whom an address is a way into the account. Without a user
    /// it does as much work, so the time does not tell which addresses have accounts.
    ///
    /// # Errors
    /// Those of the repositories.
    pub(crate) async fn usable(&self, user: Option<User>) -> Result<Option<User>, AuthError> {
        let id = user.as_ref().map(|user| user.id_text()).unwrap_or_default();
        for hook in &self.hooks {
            if hook.is_leaving(self, &id).await? {
                return Ok(None);
            }
        }
        Ok(user.filter(|user| user.is_active()))
    }

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

    /// Saves the patch that `change` makes of a user's record, in the name of the acting session if there is one. The patch must be
    /// conditional on what `change` has read: if another request was faster, `change` is called again with the record as it is then.
    /// Returns whether anything was saved: nothing is without a patch, or if the record is gone.
    ///
    /// # Errors
    /// Those of `change`, the repository and [`ActingSession::save`].
    pub(crate) async fn change_user(
        &self,
        mut user: User,
        acting: Option<&ActingSession>,
        change: impl Fn(&User) -> Result<Option<Patch>, AuthError> + Sync,
    ) -> Result<bool, AuthError> {
        let id = user.id_text();
        for _ in 0..SAVES {
            let Some(patch) = change(&user)? else { return Ok(false) };
            let saved = match acting {
                Some(acting) => acting.save(patch).await,
                None => self.users.save(patch).await,
            };
            match saved {
                Err(RepositoryError::Stale) => {}
                saved => return Ok(saved.map(|_| true)?),
            }
            match self.users.find_by_id(&id).await? {
                Some(now) => user = now,
                None => return Ok(false),
            }
        }
        Err(AuthError::Unavailable("a user's record changed with every attempt to save it".into()))
    }

    /// Removes a user's password. `conditions` returns what must be true of the record when it is written, or `None` if the password is to
    /// stay. Returns whether there was one and it was removed.
    ///
    /// # Errors
    /// Those of the repository.
    pub(crate) async fn remove_password(
        &self,
        user: &User,
        conditions: impl Fn(&User) -> Option<Vec<UserChange>> + Sync,
    ) -> Result<bool, AuthError> {
        let remove = |now: &User| {
            let conditions = conditions(now).filter(|_| now.has_password());
            let patch = |conditions| {
                Patch::of(&**now)
                    .with(UserChange::Password(String::new()))
                    .with(UserChange::PasswordConfirmedAt(None))
                    .only_if(UserChange::Password(now.password().to_owned()))
                    .only_if_all(conditions)
            };
            Ok(conditions.map(patch))
        };
        self.change_user(User::clone(user), None, remove).await
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

    async fn find_by_username(&self, username: &str) -> Result<Option<User>, RepositoryError> {
        Ok(self.0.find_by_field(UserField::Username, username).await?.map(erased))
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
