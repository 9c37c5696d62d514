//! Recent password confirmation ("step-up"): recorded in `passwordConfirmedAt` and bound to the session in which the
//! password was confirmed (specification §12).

use super::{Core, Identity, Patch};
use crate::clock::{unix_seconds, whole_seconds};
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::user::UserChange;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

impl Core {
    /// Records that the user has just confirmed the password in this session.
    pub(crate) async fn record_confirmation(&self, who: &Identity) -> Result<(), AuthError> {
        let now = whole_seconds(self.now());
        let patch = Patch::of(who.user()).with(UserChange::PasswordConfirmedAt(Some(now)));
        self.users.save(patch).await?;
        let (sid, value) = (who.session.sid.as_str(), unix_seconds(now).to_be_bytes());
        self.store.put(StoreKey::Confirmed, &[sid], &value, self.config.password_timeout).await
    }

    /// Whether the password was confirmed in this session within the last `window`, or within `password_timeout` if
    /// that is shorter. The user's record must have a recent confirmation, too: a host that clears
    /// `passwordConfirmedAt` revokes the confirmation.
    pub(crate) async fn is_confirmed(&self, who: &Identity, window: Duration) -> Result<bool, AuthError> {
        let window = window.min(self.config.password_timeout);
        let now = self.now();
        let recent = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age < window);
        if !who.user.password_confirmed_at().is_some_and(recent) {
            return Ok(false);
        }
        let stored = self.store.get(StoreKey::Confirmed, &[&who.session.sid]).await?;
        let confirmed_at = stored.and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
        Ok(confirmed_at.is_some_and(|seconds| recent(UNIX_EPOCH + Duration::from_secs(seconds))))
    }

    /// Fails if the password was not confirmed recently in this session.
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; any other error when the store fails.
    pub(crate) async fn require_confirmation(&self, who: &Identity) -> Result<(), AuthError> {
        match self.is_confirmed(who, Duration::MAX).await? {
            true => Ok(()),
            false => Err(AuthError::PasswordConfirmationRequired),
        }
    }
}
