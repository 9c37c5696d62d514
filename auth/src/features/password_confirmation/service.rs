//! Confirming a password and telling whether that was recent. No HTTP.

use crate::client::ClientAddress;
use crate::crypto::passwords::Verdict;
use crate::error::AuthError;
use crate::event::EventKind;
use crate::limits::Counter;
use crate::module::{Core, Identity};
use crate::user::AuthUser;
use crate::values::Password;
use std::time::Duration;

/// What is counted: wrong passwords of an account that is logged in.
const COUNTED: &str = "password.account";

#[derive(Clone)]
pub(super) struct PasswordConfirmationService<U: AuthUser> {
    core: Core<U>,
}

impl<U: AuthUser> PasswordConfirmationService<U> {
    pub(super) fn new(core: Core<U>) -> Self {
        Self { core }
    }

    pub(super) fn core(&self) -> &Core<U> {
        &self.core
    }

    /// Records that whoever uses the session knows the password.
    ///
    /// # Errors
    /// [`AuthError::IncorrectPassword`], [`AuthError::TooManyAttempts`].
    pub(super) async fn confirm(
        &self,
        who: &Identity<U>,
        password: &Password,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let account = who.user.id().to_string();
        let limit = self.core.config.limits.confirm_password;
        let attempt = self.core.limits.attempt(&[Counter { name: COUNTED, of: &[&account], limit }]).await;
        let attempt = attempt.inspect_err(|error| {
            if matches!(error, AuthError::TooManyAttempts { .. }) {
                self.core.events.emit(EventKind::Lockout, Some(account.clone()), client);
            }
        })?;
        match self.core.passwords.verify(password, Some(who.user.password())).await {
            Ok(Verdict::Mismatch) => return Err(AuthError::IncorrectPassword),
            Ok(Verdict::Match | Verdict::MatchOutdated) => {}
            Err(failure) => {
                attempt.give_back().await?;
                return Err(failure);
            }
        }
        self.core.limits.clear(COUNTED, &[&account]).await?;
        self.core.record_confirmation(&who.user, &who.session).await
    }

    /// Whether the password was confirmed in this session within the last `window`, the configured timeout at most.
    pub(super) async fn is_confirmed(
        &self,
        who: &Identity<U>,
        window: Option<Duration>,
    ) -> Result<bool, AuthError> {
        self.core.is_confirmed(&who.user, &who.session, window.unwrap_or(Duration::MAX)).await
    }
}
