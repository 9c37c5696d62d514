//! The identities in the repository, and those of one user.

use crate::core::{By, Core};
use crate::crypto::random;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::{IdentityRecord, IdentityRepository, IdentityUse, RepositoryError};
use crate::user::UserRecord;
use std::sync::Arc;

/// The repository as the feature uses it: every error is a 503 response, unless its table is missing. It is asked for no other ids of
/// identities than those that the library makes.
#[derive(Clone)]
pub(super) struct Rows(pub(super) Arc<dyn IdentityRepository>);

impl Rows {
    pub(super) async fn insert(&self, identity: IdentityRecord) -> Result<bool, AuthError> {
        self.0.insert(identity).await.map_err(RepositoryError::into_unavailable)
    }

    /// The identity of this issuer's subject in the module's realm.
    pub(super) async fn find_by_subject(
        &self,
        core: &Core,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<IdentityRecord>, AuthError> {
        let found = self.0.find_by_subject(issuer, &core.repository_key(subject)).await;
        found.map_err(RepositoryError::into_unavailable)
    }

    async fn find_by_user(&self, key: &str) -> Result<Vec<IdentityRecord>, AuthError> {
        self.0.find_by_user(key).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, AuthError> {
        self.0.record_use(id, seen).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn delete(&self, key: &str, id: &str) -> Result<bool, AuthError> {
        if !random::is_id(id) {
            return Ok(false);
        }
        self.0.delete(key, id).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn delete_all(&self, key: &str) -> Result<u64, AuthError> {
        self.0.delete_all(key).await.map_err(RepositoryError::into_unavailable)
    }
}

/// The identities of one user.
pub(super) struct Entries<'a> {
    core: &'a Core,
    identities: &'a Rows,
    /// The key of the user in the repository.
    pub(super) key: String,
}

impl<'a> Entries<'a> {
    pub(super) fn of(core: &'a Core, identities: &'a Rows, user_id: &str) -> Self {
        Self { core, identities, key: core.repository_key(user_id) }
    }

    /// All of them, the oldest first.
    ///
    /// # Errors
    /// Those of the repository.
    pub(super) async fn all(&self) -> Result<Vec<IdentityRecord>, AuthError> {
        let mut all = self.identities.find_by_user(&self.key).await?;
        all.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        Ok(all)
    }

    /// Removes those of which this is true. Returns their number.
    ///
    /// # Errors
    /// Those of the repository, after which it can be repeated.
    pub(super) async fn remove(
        &self,
        user: &dyn UserRecord,
        by: impl Into<By>,
        is_removed: impl Fn(&IdentityRecord) -> bool,
    ) -> Result<u64, AuthError> {
        let (by, mut removed) = (by.into(), 0);
        for identity in self.all().await?.into_iter().filter(is_removed) {
            if self.identities.delete(&self.key, &identity.id).await? {
                removed += 1;
                self.core.emit_about(unlinked(identity), user, by).await;
            }
        }
        Ok(removed)
    }
}

/// The event of an identity that is gone.
pub(super) fn unlinked(identity: IdentityRecord) -> EventKind {
    EventKind::IdentityUnlinked { identity_id: identity.id, provider: identity.provider }
}

/// The id of the user whose identity this is. `None` if it is one of another realm.
pub(super) fn user_id_of<'a>(core: &Core, row: &'a IdentityRecord) -> Option<&'a str> {
    row.user_id.strip_prefix(&core.repository_key(""))
}
