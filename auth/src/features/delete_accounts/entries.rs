//! The pending deletions in the repository, and what clients keep about them: the token of a mail, and that of a sign-in.

use crate::clock::unix_milliseconds;
use crate::core::{Core, FlowContent, FlowEpoch, Method, Methods};
use crate::error::AuthError;
use crate::repository::{DeletionRecord, DeletionRepository, RepositoryError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::SystemTime;

/// The repository as the feature uses it, for the users of a core: every error is a 503 response, unless its table is missing.
#[derive(Clone)]
pub(super) struct Rows(pub(super) Arc<dyn DeletionRepository>);

impl Rows {
    /// Stores a deletion, and returns the one that was there before.
    pub(super) async fn schedule(
        &self,
        core: &Core,
        user_id: &str,
        due_at: SystemTime,
    ) -> Result<Option<DeletionRecord>, AuthError> {
        let existing = self.0.schedule(core.realm(), user_id, due_at).await;
        existing.map_err(RepositoryError::into_unavailable)
    }

    pub(super) async fn find(&self, core: &Core, user_id: &str) -> Result<Option<DeletionRecord>, AuthError> {
        self.0.find(core.realm(), user_id).await.map_err(RepositoryError::into_unavailable)
    }

    /// Deletes this row, unless it is leased, and returns whether it did.
    pub(super) async fn cancel(&self, core: &Core, deletion: &DeletionRecord) -> Result<bool, AuthError> {
        let DeletionRecord { realm, user_id, due_at, .. } = deletion;
        let cancelled = self.0.cancel(realm, user_id, *due_at, core.now()).await;
        cancelled.map_err(RepositoryError::into_unavailable)
    }

    /// Leases the rows that are due.
    pub(super) async fn lease_due(
        &self,
        core: &Core,
        until: SystemTime,
        at_most: usize,
    ) -> Result<Vec<DeletionRecord>, AuthError> {
        let leased = self.0.lease_due(core.realm(), core.now(), until, at_most).await;
        leased.map_err(RepositoryError::into_unavailable)
    }

    /// Deletes the row of a user who was deleted.
    pub(super) async fn finish(&self, deletion: &DeletionRecord) -> Result<(), AuthError> {
        let DeletionRecord { realm, user_id, due_at, .. } = deletion;
        self.0.finish(realm, user_id, *due_at).await.map_err(RepositoryError::into_unavailable)
    }
}

/// What the token of a mail about a deletion holds. It cancels the deletion and signs nobody in.
#[derive(Serialize, Deserialize)]
pub(super) struct MailedToken {
    /// The user's id.
    pub(super) sub: String,
    /// Which deletion: its time, in milliseconds since 1970.
    pub(super) due: u64,
}

impl FlowContent for MailedToken {
    const PURPOSE: &'static str = "deletion-cancel";
}

/// What the token of a sign-in holds whose account is going to be deleted. It cancels the deletion and starts the session.
#[derive(Serialize, Deserialize)]
pub(super) struct SignInToken {
    /// The user's id.
    pub(super) sub: String,
    /// The mark of the credentials.
    #[serde(rename = "gen")]
    pub(super) mark: String,
    /// The epoch of the user's ceremonies.
    #[serde(default, rename = "ep", skip_serializing_if = "FlowEpoch::is_first")]
    pub(super) epoch: FlowEpoch,
    /// The names of the methods that were proven.
    pub(super) amr: Vec<String>,
    /// Which deletion: its time, in milliseconds since 1970.
    pub(super) due: u64,
    /// Whether a browser has it in a cookie.
    #[serde(rename = "bro")]
    pub(super) is_of_browser: bool,
    /// Whether the session will outlive the browser's own.
    #[serde(rename = "rem")]
    pub(super) remember: bool,
}

impl FlowContent for SignInToken {
    const PURPOSE: &'static str = "deletion-restore";
}

impl SignInToken {
    /// What was proven.
    pub(super) fn proven(&self) -> Methods {
        self.amr.iter().filter_map(|name| Method::of_name(name)).collect()
    }
}

/// The number that tells this deletion from others of the account.
pub(super) fn number_of(deletion: &DeletionRecord) -> u64 {
    unix_milliseconds(deletion.due_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::is_golden;

    /// Mails in people's mailboxes, and clients with tokens, that a later release must be able to read.
    #[test]
    fn the_golden_documents_of_tokens_about_deletions() {
        is_golden::<MailedToken>("deletion-cancel", r#"{"sub":"7","due":1767225600123}"#);
        is_golden::<SignInToken>(
            "deletion-restore",
            r#"{"sub":"7","gen":"MARK","amr":["pwd"],"due":1767225600123,"bro":false,"rem":true}"#,
        );
    }
}
