//! The pass that deletes the users whose deletion is due. No HTTP.

use super::service::{DeleteAccountsService, text_of};
use crate::client::{ClientAddress, ClientInfo};
use crate::delivery::AccountDeletionKind;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::DeletionRecord;
use crate::telemetry::{cause, log};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::time::Instant;

/// For how long an instance has a user for itself.
const LEASE: Duration = Duration::from_secs(15 * 60);
/// How long a deletion may take: less than the lease, so two instances never delete one user at a time.
const LONGEST_DELETION: Duration = Duration::from_secs(10 * 60);
/// For how long a pass goes on to the next user.
const LONGEST_PASS: Duration = Duration::from_secs(4 * 60);
/// How many users are leased at once: each is deleted before its lease ends.
const AT_ONCE: usize = 1;

impl DeleteAccountsService {
    /// Deletes the users whose deletion is due, one after the other, until this one or for some minutes. A user whose deletion fails is left
    /// for a later pass.
    ///
    /// # Errors
    /// Those of the repository of deletions.
    pub(super) async fn delete_due(&self, until: Option<&str>) -> Result<(), AuthError> {
        let (core, began) = (&self.core, Instant::now());
        while began.elapsed() < LONGEST_PASS {
            let leased = self.parts.deletions.lease_due(core, core.now() + LEASE, AT_ONCE).await?;
            if leased.is_empty() {
                break;
            }
            for deletion in leased {
                self.delete_or_log(&deletion).await;
                if until == Some(deletion.user_id.as_str()) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    async fn delete_or_log(&self, deletion: &DeletionRecord) {
        let deleting = AssertUnwindSafe(self.delete(deletion)).catch_unwind();
        match tokio::time::timeout(LONGEST_DELETION, deleting).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(failure))) => log::user_not_deleted(failure.code().as_str(), cause(failure.cause())),
            Ok(Err(_panic)) => log::deletion_panicked(),
            Err(_elapsed) => log::deletion_timed_out(),
        }
    }

    /// Deletes the user of a leased row. Each step can be repeated: the row goes last.
    async fn delete(&self, deletion: &DeletionRecord) -> Result<(), AuthError> {
        let (core, id) = (&self.core, deletion.user_id.as_str());
        let user = core.users.find_by_id(id).await?;
        // Since the row was written, the account may have got an address that can take it back.
        if let Some((_, until)) = core.can_take_back(id).await?
            && until > core.now()
            && user.is_some()
        {
            return Ok(());
        }
        if let Some(user) = &user {
            core.close_account(id).await?;
            self.parts.deletes_users.delete(core, &**user).await.map_err(AuthError::from)?;
        }
        let deleted = EventKind::AccountDeleted { due_at: text_of(deletion) };
        core.events.emit(deleted, Some(id.to_owned()), ClientAddress::UNKNOWN).await;
        if let Some(user) = &user {
            let nobody = ClientInfo::from(ClientAddress::UNKNOWN);
            self.tell(user, deletion, AccountDeletionKind::Done, &nobody).await?;
        }
        self.parts.deletions.finish(deletion).await
    }
}
