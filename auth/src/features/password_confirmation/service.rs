//! Confirming a password and telling whether that was recent. No HTTP.

use crate::client::ClientAddress;
use crate::core::{Core, Identity};
use crate::crypto::passwords::Verdict;
use crate::error::AuthError;
use crate::events::LockedOut;
use crate::limits::{Counter, WRONG_PASSWORDS};
use crate::user::{AuthUser, UserId};
use crate::values::Password;
use std::time::Duration;

/// Password confirmations, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct PasswordConfirmationService<U: AuthUser> {
    core: Core<U>,
}

impl<U: AuthUser> PasswordConfirmationService<U> {
    pub(crate) fn new(core: Core<U>) -> Self {
        Self { core }
    }

    pub(super) fn core(&self) -> &Core<U> {
        &self.core
    }

    /// Records that whoever uses the session knows the password.
    ///
    /// # Errors
    /// [`AuthError::IncorrectPassword`], [`AuthError::TooManyAttempts`].
    pub async fn confirm(
        &self,
        who: &Identity<U>,
        password: &Password,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let account = who.user.id().to_text();
        let limit = self.core.config.limits.confirm_password;
        let counter = Counter { name: WRONG_PASSWORDS, of: &[&account], limit };
        let attempt = self.core.attempt(LockedOut::Password, &[counter], Some(&account), client).await?;
        match self.core.passwords.verify(password, Some(who.user.password())).await {
            Ok(Verdict::Mismatch) => return Err(AuthError::IncorrectPassword),
            Ok(Verdict::Match | Verdict::MatchOutdated) => attempt.give_back().await?,
            Err(failure) => {
                attempt.give_back().await?;
                return Err(failure);
            }
        }
        self.core.limits.clear(WRONG_PASSWORDS, &[&account]).await?;
        self.core.record_confirmation(&who.user, &who.session).await
    }

    /// Whether the password was confirmed in this session within the last `window`, the configured timeout at most.
    pub async fn is_confirmed(&self, who: &Identity<U>, window: Option<Duration>) -> Result<bool, AuthError> {
        self.core.is_confirmed(&who.user, &who.session, window.unwrap_or(Duration::MAX)).await
    }
}
