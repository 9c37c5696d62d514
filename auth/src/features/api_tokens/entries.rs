//! The API tokens in the repository.

use super::text::is_id;
use crate::clock::rfc3339;
use crate::config::Settings;
use crate::core::{Core, ProvenRow, RowsOfUser, UserRow, user_rows};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::{ApiTokenRecord, ApiTokenRepository, RepositoryError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::SystemTime;

/// The repository as the feature uses it: every error is a 503 response, unless its table is missing. It is asked for no other ids of
/// tokens than those that the library makes.
#[derive(Clone)]
pub(super) struct Rows(pub(super) Arc<dyn ApiTokenRepository>);

impl Rows {
    pub(super) async fn insert(&self, token: ApiTokenRecord) -> Result<bool, AuthError> {
        self.0.insert(token).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn find_by_id(&self, id: &str) -> Result<Option<ApiTokenRecord>, AuthError> {
        self.0.find_by_id(id).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn record_use(
        &self,
        id: &str,
        before: SystemTime,
        at: SystemTime,
    ) -> Result<bool, AuthError> {
        self.0.record_use(id, before, at).await.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, AuthError> {
        self.0.delete_expired(now, at_most).await.map_err(RepositoryError::into_unavailable)
    }
}

user_rows!(Rows, ApiTokenRecord, is_id);

impl UserRow for ApiTokenRecord {
    const CALLED: &'static str = "apiTokens";

    fn data(&self, _: &Core) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "scopes": self.scopes,
            "createdAt": rfc3339(self.created_at),
            "expiresAt": rfc3339(self.expires_at),
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
        EventKind::ApiTokenRevoked { token_id: self.id }
    }

    /// Nobody signs in with an API token.
    fn proven(_: ProvenRow<'_>) -> Option<&str> {
        None
    }

    fn ends_with_reset(settings: &Settings) -> bool {
        !settings.api_tokens.survive_resets
    }
}

/// The API tokens of one user.
pub(super) type Entries<'a> = RowsOfUser<'a, Rows>;
