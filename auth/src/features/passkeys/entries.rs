//! The passkeys in the repository, and those of one user.

use crate::core::{By, Core};
use crate::crypto::random;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::{PasskeyRecord, PasskeyRepository, PasskeyUse, RepositoryError};
use crate::user::UserRecord;
use std::sync::Arc;

/// The repository as the feature uses it: every error is a 503 response, unless its table is missing. It is asked for no other ids of
/// passkeys than those that the library makes.
#[derive(Clone)]
pub(super) struct Rows(pub(super) Arc<dyn PasskeyRepository>);

impl Rows {
    pub(super) async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, AuthError> {
        self.0.insert(passkey).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn find_by_credential_id(&self, id: &[u8]) -> Result<Option<PasskeyRecord>, AuthError> {
        self.0.find_by_credential_id(id).await.map_err(RepositoryError::into_unavailable)
    }

    async fn find_by_user(&self, key: &str) -> Result<Vec<PasskeyRecord>, AuthError> {
        self.0.find_by_user(key).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn record_use(
        &self,
        id: &str,
        expected: Option<u32>,
        seen: &PasskeyUse,
    ) -> Result<bool, AuthError> {
        self.0.record_use(id, expected, seen).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn rename(&self, key: &str, id: &str, name: &str) -> Result<bool, AuthError> {
        if !random::is_id(id) {
            return Ok(false);
        }
        self.0.rename(key, id, name).await.map_err(RepositoryError::into_unavailable)
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

/// The passkeys of one user.
pub(super) struct Entries<'a> {
    core: &'a Core,
    passkeys: &'a Rows,
    /// The key of the user in the repository.
    pub(super) key: String,
}

impl<'a> Entries<'a> {
    pub(super) fn of(core: &'a Core, passkeys: &'a Rows, user_id: &str) -> Self {
        Self { core, passkeys, key: core.repository_key(user_id) }
    }

    /// All of them, the oldest first.
    ///
    /// # Errors
    /// Those of the repository.
    pub(super) async fn all(&self) -> Result<Vec<PasskeyRecord>, AuthError> {
        let mut all = self.passkeys.find_by_user(&self.key).await?;
        all.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        Ok(all)
    }

    /// Those that can sign in with this configuration.
    ///
    /// # Errors
    /// Those of the repository.
    pub(super) async fn usable(&self) -> Result<Vec<PasskeyRecord>, AuthError> {
        let mut all = self.all().await?;
        all.retain(|passkey| is_usable(self.core, passkey));
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
        is_removed: impl Fn(&PasskeyRecord) -> bool,
    ) -> Result<u64, AuthError> {
        let (by, mut removed) = (by.into(), 0);
        for passkey in self.all().await?.into_iter().filter(is_removed) {
            if self.passkeys.delete(&self.key, &passkey.id).await? {
                removed += 1;
                self.core.emit_about(EventKind::PasskeyRemoved { passkey_id: passkey.id }, user, by).await;
            }
        }
        Ok(removed)
    }
}

/// Whether the passkey is of the relying party that is configured.
pub(super) fn is_usable(core: &Core, passkey: &PasskeyRecord) -> bool {
    core.config.relying_party.as_ref().is_some_and(|site| site.id() == passkey.rp_id)
}
