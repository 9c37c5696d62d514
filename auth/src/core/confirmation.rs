//! Recent password confirmation ("step-up"): recorded in `passwordConfirmedAt` and bound to the session in which the
//! password was confirmed (specification §12).

use super::{Core, Identity, Patch, SessionCookie};
use crate::clock::whole_seconds;
use crate::error::AuthError;
use crate::user::UserChange;
use std::time::{Duration, SystemTime};

/// The method in the session's state (RFC 8176).
const PASSWORD: &str = "pwd";

/// How far in the future a confirmation may be: the clock of the instance that recorded it can be ahead. That is less than
/// for tokens, because a confirmation is asked for again at the user's next request.
const CONFIRMATION_SKEW: Duration = Duration::from_secs(10);

impl Core {
    /// Records that the user has just confirmed the password in this session. Returns the cookie that has the confirmation,
    /// if it is a browser session.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended, or if its credentials have changed meanwhile.
    pub(crate) async fn record_confirmation(
        &self,
        who: &Identity,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let now = whole_seconds(self.now());
        let patch = Patch::of(who.user()).with(UserChange::PasswordConfirmedAt(Some(now)));
        self.users.save(patch).await?;
        self.sessions.confirm(who, PASSWORD, now).await
    }

    /// Whether the password was confirmed in this session within the last `window`, or within `password_timeout` if
    /// that is shorter. The user's record must have a recent confirmation, too: a host that clears
    /// `passwordConfirmedAt` revokes the confirmation.
    pub(crate) fn is_confirmed(&self, who: &Identity, window: Duration) -> bool {
        let window = window.min(self.config.password_timeout);
        let now = self.now();
        let recent = |at: SystemTime| match now.duration_since(at) {
            Ok(age) => age < window,
            Err(ahead) => ahead.duration() <= CONFIRMATION_SKEW && !window.is_zero(),
        };
        if !who.user.password_confirmed_at().is_some_and(recent) {
            return false;
        }
        who.row.confirmed_at(PASSWORD, who.session.opened()).is_some_and(recent)
    }

    /// Fails if the password was not confirmed recently in this session.
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`].
    pub(crate) fn require_confirmation(&self, who: &Identity) -> Result<(), AuthError> {
        match self.is_confirmed(who, Duration::MAX) {
            true => Ok(()),
            false => Err(AuthError::PasswordConfirmationRequired),
        }
    }
}
