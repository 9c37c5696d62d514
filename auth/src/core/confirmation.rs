//! Recent password confirmation ("step-up"): recorded in `passwordConfirmedAt` and bound to the session that
//! confirmed (specification §12.1).

use super::{Core, SessionClaims};
use crate::clock::{unix_seconds, whole_seconds};
use crate::error::AuthError;
use crate::user::{AuthUser, UserChange, UserPatch};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

impl<U: AuthUser> Core<U> {
    /// Records that the user has just confirmed the password, in this session.
    pub(crate) async fn record_confirmation(
        &self,
        user: &U,
        session: &SessionClaims,
    ) -> Result<(), AuthError> {
        let now = whole_seconds(self.now());
        let patch = UserPatch::new(user.id().clone()).with(UserChange::PasswordConfirmedAt(Some(now)));
        self.users.save(patch).await?;
        let (key, value) = (confirmed_key(session), unix_seconds(now).to_be_bytes());
        let stored = self.sessions.store().put(&key, &value, self.config.password_timeout).await;
        stored.map_err(AuthError::Unavailable)
    }

    /// Whether the password was confirmed in this session within the last `window`, which is never longer than the
    /// configured timeout. The record has to say so, too: a host that clears `passwordConfirmedAt` takes it back.
    pub(crate) async fn is_confirmed(
        &self,
        user: &U,
        session: &SessionClaims,
        window: Duration,
    ) -> Result<bool, AuthError> {
        let window = window.min(self.config.password_timeout);
        let now = self.now();
        let recent = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age < window);
        if !user.password_confirmed_at().is_some_and(recent) {
            return Ok(false);
        }
        let stored =
            self.sessions.store().get(&confirmed_key(session)).await.map_err(AuthError::Unavailable)?;
        let stamp = stored.and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
        Ok(stamp.is_some_and(|seconds| recent(UNIX_EPOCH + Duration::from_secs(seconds))))
    }
}

fn confirmed_key(session: &SessionClaims) -> String {
    format!("confirmed:{}", session.sid)
}
