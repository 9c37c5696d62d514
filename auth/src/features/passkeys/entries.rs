//! The passkeys in the repository, and those of one user.

use crate::clock::rfc3339;
use crate::config::Settings;
use crate::core::{Core, ProvenRow, RowsOfUser, UserRow, user_rows};
use crate::crypto::random;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::{PasskeyRecord, PasskeyRepository, PasskeyUse, RepositoryError};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::SystemTime;

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
}

user_rows!(Rows, PasskeyRecord, random::is_id);

impl UserRow for PasskeyRecord {
    const CALLED: &'static str = "passkeys";

    fn data(&self, _: &Core) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "credentialId": URL_SAFE_NO_PAD.encode(&self.credential_id),
            "transports": self.transports,
            "backedUp": self.backed_up,
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
        EventKind::PasskeyRemoved { passkey_id: self.id }
    }

    fn proven(row: ProvenRow<'_>) -> Option<&str> {
        match row {
            ProvenRow::Passkey(id) => Some(id),
            ProvenRow::Identity(_) => None,
        }
    }

    fn ends_with_reset(settings: &Settings) -> bool {
        settings.reset_removes.passkeys
    }
}

/// The passkeys of one user.
pub(super) type Entries<'a> = RowsOfUser<'a, Rows>;

impl Entries<'_> {
    /// Those that can sign in with this configuration.
    ///
    /// # Errors
    /// Those of the repository.
    pub(super) async fn usable(&self) -> Result<Vec<PasskeyRecord>, AuthError> {
        let mut all = self.all().await?;
        all.retain(|passkey| is_usable(self.core, passkey));
        Ok(all)
    }
}

/// Whether the passkey is of the relying party that is configured.
pub(super) fn is_usable(core: &Core, passkey: &PasskeyRecord) -> bool {
    core.config.relying_party.as_ref().is_some_and(|site| site.id() == passkey.rp_id)
}
