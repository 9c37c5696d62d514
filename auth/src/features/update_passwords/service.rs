//! Changing a password. No HTTP.

use crate::actions::{PasswordUpdateData, UpdatesUserPasswords};
use crate::client::ClientAddress;
use crate::core::{Core, Identity, TokenPair, run_to_completion};
use crate::error::AuthError;
use crate::events::{EventKind, LockedOut};
use crate::limits::{Attempt, Counter, WRONG_PASSWORDS};
use crate::user::{AuthUser, UserId};
use std::sync::Arc;

/// Changes of password, with the rules, limits and events of the route.
pub struct UpdatePasswordsService<U: AuthUser> {
    core: Core<U>,
    updates_user_passwords: Arc<dyn UpdatesUserPasswords<U>>,
}

impl<U: AuthUser> UpdatePasswordsService<U> {
    pub(crate) fn new(core: Core<U>, updates_user_passwords: Arc<dyn UpdatesUserPasswords<U>>) -> Self {
        Self { core, updates_user_passwords }
    }

    pub(super) fn core(&self) -> &Core<U> {
        &self.core
    }

    pub(super) fn min_password_characters(&self) -> usize {
        self.core.config.password_min_characters
    }

    /// Has the host change the password (specification §9.11). The user's other sessions end; the acting one
    /// goes on with the pair that is returned.
    ///
    /// # Errors
    /// [`AuthError::IncorrectPassword`] and whatever else the action refuses with, [`AuthError::TooManyAttempts`].
    pub async fn update(
        &self,
        who: &Identity<U>,
        data: PasswordUpdateData,
        client: ClientAddress,
    ) -> Result<TokenPair, AuthError> {
        let account = who.user.id().to_text();
        let limit = self.core.config.limits.confirm_password;
        let counter = Counter { name: WRONG_PASSWORDS, of: &[&account], limit };
        let attempt = self.core.attempt(LockedOut::Password, &[counter], Some(&account), client).await?;
        let (service, who) = (self.clone(), who.clone());
        run_to_completion(async move { service.carry_out(attempt, &who, &account, data, client).await }).await
    }

    async fn carry_out(
        &self,
        attempt: Attempt,
        who: &Identity<U>,
        account: &str,
        data: PasswordUpdateData,
        client: ClientAddress,
    ) -> Result<TokenPair, AuthError> {
        let updated = self.updates_user_passwords.update(&who.user, data, &self.core.actions).await;
        match updated.map_err(AuthError::from) {
            Ok(()) => {}
            Err(AuthError::IncorrectPassword) => return Err(AuthError::IncorrectPassword),
            Err(other) => {
                attempt.give_back().await?;
                return Err(other);
            }
        }
        // The password has changed, whatever becomes of the rest.
        self.core.events.emit(EventKind::PasswordUpdated, Some(account.to_owned()), client);
        attempt.give_back().await?;
        self.core.limits.clear(WRONG_PASSWORDS, &[account]).await?;
        self.core.end_other_sessions(who).await
    }
}

impl<U: AuthUser> Clone for UpdatePasswordsService<U> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), updates_user_passwords: Arc::clone(&self.updates_user_passwords) }
    }
}
