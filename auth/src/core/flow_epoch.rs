//! Since when the ceremonies of a user are valid (specification §10.5): what ends a user's ceremonies under way.
//!
//! The mark of the credentials (§10.4) ends a ceremony when the password or the second factor changes. For a user without a
//! password that mark does not change, and credentials can return to what they were. The epoch does not return: it is a time that
//! only becomes later, and a token has the epoch that was valid when the token was issued.

use super::Core;
use crate::error::AuthError;
use crate::store::StoreKey;
use serde::{Deserialize, Serialize};
use std::time::{Duration, UNIX_EPOCH};

/// For how long the store keeps an epoch: no ceremony lasts as long.
const KEPT: Duration = Duration::from_secs(2 * 60 * 60);

/// The ceremonies of a user that end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ceremonies {
    /// Those that a change of credentials ends, such as the challenge after a login.
    OfCredentials,
    /// Sign-ins by mail. What somebody does in a session does not end them: a thief must not be able to cancel the owner's way
    /// back.
    OfMailbox,
}

impl Ceremonies {
    /// The name in the store's key.
    const fn as_str(self) -> &'static str {
        match self {
            Self::OfCredentials => "credentials",
            Self::OfMailbox => "mailbox",
        }
    }
}

/// The epoch of a user's ceremonies, in milliseconds since 1970; zero if nothing has ended them recently. A token with an epoch
/// that is earlier than the user's is invalid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct FlowEpoch(u64);

impl FlowEpoch {
    /// Whether nothing has ended the user's ceremonies recently. Tokens leave it out then.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) const fn is_first(&self) -> bool {
        self.0 == 0
    }
}

impl Core {
    /// The epoch of these ceremonies of a user.
    pub(crate) async fn flow_epoch(&self, of: Ceremonies, user_id: &str) -> Result<FlowEpoch, AuthError> {
        let epoch = self.store.number(StoreKey::FlowEpoch, &[of.as_str(), user_id]).await?;
        Ok(FlowEpoch(epoch.unwrap_or_default()))
    }

    /// Ends these ceremonies of a user.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub(crate) async fn end_ceremonies(&self, of: &[Ceremonies], user_id: &str) -> Result<(), AuthError> {
        for of in of {
            let FlowEpoch(last) = self.flow_epoch(*of, user_id).await?;
            let now = self.now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            // Later than the last one, even if the clock of another instance is ahead.
            let epoch = u64::try_from(now).unwrap_or(u64::MAX).max(last.saturating_add(1));
            // If another request has raised it meanwhile, the ceremonies were ended by that.
            self.store.raise(StoreKey::FlowEpoch, &[of.as_str(), user_id], epoch, KEPT).await?;
        }
        Ok(())
    }
}
