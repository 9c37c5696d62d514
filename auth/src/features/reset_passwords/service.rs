//! Asking for a reset and carrying it out. No HTTP.

use crate::actions::ResetsUserPasswords;
use crate::client::ClientAddress;
use crate::core::{Core, best_effort, run_to_completion, spawn};
use crate::crypto::passwords::Verdict;
use crate::crypto::random;
use crate::delivery::{Channel, PasswordResetDelivery, PasswordResetMessage};
use crate::error::AuthError;
use crate::events::{EventKind, LockedOut};
use crate::limits::Counter;
use crate::repository::{PasswordResetRepository, StoredResetToken};
use crate::user::{AuthUser, UserField, UserId};
use crate::values::{EmailAddress, NewPassword, Password};
use std::sync::Arc;
use std::time::SystemTime;

/// What is counted of wrong reset tokens.
const COUNTED: &str = "reset-password.address";

/// Password resets, with the rules, limits and events of the routes.
pub struct ResetPasswordsService<U: AuthUser> {
    core: Core<U>,
    resets: Arc<dyn PasswordResetRepository>,
    resets_user_passwords: Arc<dyn ResetsUserPasswords<U>>,
    delivery: Arc<dyn PasswordResetDelivery>,
}

impl<U: AuthUser> ResetPasswordsService<U> {
    pub(crate) fn new(
        core: Core<U>,
        resets: Arc<dyn PasswordResetRepository>,
        resets_user_passwords: Arc<dyn ResetsUserPasswords<U>>,
        delivery: Arc<dyn PasswordResetDelivery>,
    ) -> Self {
        Self { core, resets, resets_user_passwords, delivery }
    }

    pub(super) fn min_password_characters(&self) -> usize {
        self.core.config.password_min_characters
    }

    /// Makes a reset token for the account of an address and has it delivered (specification §15.2). An
    /// address without an account takes the same work. With `InResponse` the token is returned, or a decoy.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`], [`AuthError::Overloaded`].
    pub async fn request(
        &self,
        email: &EmailAddress,
        client: ClientAddress,
    ) -> Result<Option<String>, AuthError> {
        self.count_request(email, client).await?;
        let token = random::hex::<32>()?;
        let hash = self.core.passwords.rehash(&Password::to_check(token.clone())).await?;
        let user = self.core.users.find_by_field(UserField::Email, email.as_str()).await?;
        match user.filter(AuthUser::is_active) {
            Some(user) => {
                let now = self.core.now();
                self.resets.create_token(email.as_str(), &hash, now).await?;
                self.deliver(&user, token.clone(), now + self.core.config.reset_token_lifetime);
            }
            // A write as well, and one that changes nothing.
            None => self.resets.delete_by_email(email.as_str()).await?,
        }
        Ok((self.delivery.channel() == Channel::InResponse).then_some(token))
    }

    /// Sets a new password for whoever shows the newest token of an address (specification §15.3), and ends
    /// all sessions of that user.
    ///
    /// # Errors
    /// [`AuthError::InvalidResetToken`], [`AuthError::ExpiredResetToken`], what the action refuses with,
    /// [`AuthError::TooManyAttempts`].
    pub async fn reset(
        &self,
        email: &EmailAddress,
        token: &str,
        password: &NewPassword,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let limit = self.core.config.limits.reset_password;
        let attempt = self
            .core
            .attempt(
                LockedOut::PasswordReset,
                &[Counter { name: COUNTED, of: &[email.as_str()], limit }],
                None,
                client,
            )
            .await?;
        let (user, used) = match self.redeem(email, token).await {
            Ok(redeemed) => redeemed,
            Err(wrong @ (AuthError::InvalidResetToken | AuthError::ExpiredResetToken)) => return Err(wrong),
            Err(failure) => {
                attempt.give_back().await?;
                return Err(failure);
            }
        };
        attempt.give_back().await?;
        let (service, email, password) = (self.clone(), email.clone(), password.clone());
        run_to_completion(async move { service.carry_out(&user, &used, &email, &password, client).await })
            .await
    }

    /// Stores the new password and sees to all that follows from it.
    async fn carry_out(
        &self,
        user: &U,
        used: &str,
        email: &EmailAddress,
        password: &NewPassword,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        if let Err(refused) = self.resets_user_passwords.reset(user, password, &self.core.actions).await {
            // The token was right and has done nothing: it may be shown again with another password.
            self.core.store.delete(used).await.map_err(AuthError::Unavailable)?;
            return Err(refused.into());
        }
        // What fails here takes nothing back: the token is out of use for as long as it would have lived, and the
        // sessions' tokens are bound to the password of before.
        let (id, share) = (user.id().to_text(), self.core.config.request_timeout / 4);
        best_effort("ending the sessions after a password reset", share, self.core.sessions.end_all(&id))
            .await;
        best_effort("deleting a used reset token", share, self.resets.delete_by_email(email.as_str())).await;
        best_effort(
            "forgetting wrong reset tokens",
            share,
            self.core.limits.clear(COUNTED, &[email.as_str()]),
        )
        .await;
        self.core.events.emit(EventKind::PasswordReset, Some(id), client);
        Ok(())
    }

    async fn count_request(&self, email: &EmailAddress, client: ClientAddress) -> Result<(), AuthError> {
        let (limits, from) = (&self.core.config.limits, client.limit_key());
        let by_client =
            Counter { name: "forgot-password.client", of: &[&from], limit: limits.forgot_password_client };
        self.core.limits.count_call(by_client).await?;
        let of = [email.as_str()];
        let by_address =
            Counter { name: "forgot-password.address", of: &of, limit: limits.forgot_password_address };
        self.core.limits.count_call(by_address).await
    }

    /// Has the token delivered beside the request: neither how long that takes nor whether it fails is to be seen.
    fn deliver(&self, user: &U, token: String, expires_at: SystemTime) {
        if self.delivery.channel() == Channel::InResponse {
            return;
        }
        let (email, name) = (user.email().to_owned(), user.name().to_owned());
        let message = PasswordResetMessage { email, name, token, expires_at };
        let delivery = Arc::clone(&self.delivery);
        spawn("password reset delivery", async move {
            if let Err(error) = delivery.deliver(message).await {
                tracing::error!(error = &*error, "a reset token could not be delivered");
            }
        });
    }

    /// The user whom the token belongs to. It is taken out of use: the entry of the store that says so is returned.
    async fn redeem(&self, email: &EmailAddress, token: &str) -> Result<(U, String), AuthError> {
        let stored = self.resets.find_by_email(email.as_str()).await?;
        let hash = stored.as_ref().map(|stored| stored.token.as_str());
        let verdict = self.core.passwords.verify(&Password::to_check(token.to_owned()), hash).await?;
        let Some(StoredResetToken { token, created_at }) = stored.filter(|_| verdict != Verdict::Mismatch)
        else {
            return Err(AuthError::InvalidResetToken);
        };
        let life = self.core.config.reset_token_lifetime;
        if self.core.now() >= created_at + life {
            return Err(AuthError::ExpiredResetToken);
        }
        let user = self.core.users.find_by_field(UserField::Email, email.as_str()).await?;
        let user = user.filter(AuthUser::is_active).ok_or(AuthError::InvalidResetToken)?;
        let used = self.core.names.name("reset-used", &[&token]);
        match self.core.store.swap(&used, None, b"", life).await.map_err(AuthError::Unavailable)? {
            true => Ok((user, used)),
            false => Err(AuthError::InvalidResetToken),
        }
    }
}

impl<U: AuthUser> Clone for ResetPasswordsService<U> {
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
            resets: Arc::clone(&self.resets),
            resets_user_passwords: Arc::clone(&self.resets_user_passwords),
            delivery: Arc::clone(&self.delivery),
        }
    }
}
