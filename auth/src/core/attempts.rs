//! Attempts at something secret, and what the host hears of them.

use super::Core;
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::events::{EventKind, LockedOut};
use crate::limits::{Attempt, Counter};
use crate::user::AuthUser;

impl<U: AuthUser> Core<U> {
    /// Takes a slot of every counter. One that is full is an `auth.lockout`.
    pub(crate) async fn attempt(
        &self,
        at: LockedOut,
        counters: &[Counter<'_>],
        user_id: Option<&str>,
        client: ClientAddress,
    ) -> Result<Attempt, AuthError> {
        let attempt = self.limits.attempt(counters).await;
        attempt.inspect_err(|error| {
            if matches!(error, AuthError::TooManyAttempts { .. }) {
                self.events.emit(EventKind::Lockout { attempt: at }, user_id.map(str::to_owned), client);
            }
        })
    }
}
