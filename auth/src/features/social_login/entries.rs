//! The identities in the repository, and those of one user.

use crate::clock::rfc3339;
use crate::config::Settings;
use crate::core::{Core, ProvenRow, RowsOfUser, UserRow, UserRows, user_rows};
use crate::crypto::random;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::{IdentityRecord, IdentityRepository, IdentityUse, RepositoryError};
use crate::user::User;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::SystemTime;

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

    /// The identity of this issuer's subject, and its user. An identity whose user is gone is deleted.
    pub(super) async fn find_with_user(
        &self,
        core: &Core,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<(IdentityRecord, User)>, AuthError> {
        let Some(row) = self.find_by_subject(core, issuer, subject).await? else { return Ok(None) };
        let user = match user_id_of(core, &row) {
            Some(id) => core.users.find_by_id(id).await?,
            None => None,
        };
        if user.is_none() {
            self.delete(&row.user_id, &row.id).await?;
        }
        Ok(user.map(|user| (row, user)))
    }

    pub(super) async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, AuthError> {
        self.0.record_use(id, seen).await.map_err(RepositoryError::into_unavailable)
    }
}

user_rows!(Rows, IdentityRecord, random::is_id);

impl UserRow for IdentityRecord {
    const CALLED: &'static str = "identities";

    fn data(&self, core: &Core) -> Value {
        json!({
            "id": self.id,
            "provider": self.provider,
            "issuer": self.issuer,
            "subject": self.subject.strip_prefix(&core.repository_key("")),
            "email": self.email,
            "createdAt": rfc3339(self.created_at),
            "lastUsedAt": self.last_used_at.map(rfc3339),
        })
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn created_at(&self) -> SystemTime {
        self.created_at
    }

    fn removed(self) -> EventKind {
        EventKind::IdentityUnlinked { identity_id: self.id, provider: self.provider }
    }

    fn proven(row: ProvenRow<'_>) -> Option<&str> {
        match row {
            ProvenRow::Identity(id) => Some(id),
            ProvenRow::Passkey(_) => None,
        }
    }

    fn ends_with_reset(settings: &Settings) -> bool {
        settings.reset_removes.identities
    }
}

/// The identities of one user.
pub(super) type Entries<'a> = RowsOfUser<'a, Rows>;

/// The id of the user whose identity this is. `None` if it is one of another realm.
pub(super) fn user_id_of<'a>(core: &Core, row: &'a IdentityRecord) -> Option<&'a str> {
    row.user_id.strip_prefix(&core.repository_key(""))
}
