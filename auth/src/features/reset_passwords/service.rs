//! Requesting a reset and completing it. No HTTP.

use super::tokens::{NewToken, PendingToken, ResetTokens};
use super::{REQUEST_LIMITS, TOKEN_LIMITS};
use crate::actions::{ActionError, BoundAction, ResetsUserPasswords, typed};
use crate::client::ClientAddress;
use crate::config::{Limit, Settings};
use crate::core::{
    Ceremonies, Core, GuardedUsers, Guess, ProvenBy, Recovered, Recovery, RedeemedReset, best_effort,
};
use crate::crypto::passwords::Verdict;
use crate::crypto::random;
use crate::delivery::{Channel, Delivers, PasswordResetMessage, PasswordResetReason};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::posture::{self, Deviation};
use crate::repository::{PasswordResetRepository, StoredResetToken};
use crate::store::StoreKey;
use crate::telemetry::{cause, log};
use crate::user::{AuthUser, User, UserRecord};
use crate::values::{EmailAddress, NewPassword, Password};
use crate::watch::watch_action;
use async_trait::async_trait;
use std::sync::Arc;
use zeroize::Zeroizing;

/// `ResetsUserPasswords` without the type of the user record.
#[async_trait]
pub(super) trait Resets: Send + Sync + 'static {
    async fn reset(
        &self,
        reset: &Arc<RedeemedReset>,
        user: &dyn UserRecord,
        password: &NewPassword,
        client: ClientAddress,
    ) -> Result<(), ActionError>;
}

#[async_trait]
impl<U: AuthUser> Resets for BoundAction<dyn ResetsUserPasswords<U>, U> {
    async fn reset(
        &self,
        reset: &Arc<RedeemedReset>,
        user: &dyn UserRecord,
        password: &NewPassword,
        client: ClientAddress,
    ) -> Result<(), ActionError> {
        let users = GuardedUsers::shared(&self.users, Arc::clone(reset));
        let context = reset.core().action_context(&users, client);
        watch_action("ResetsUserPasswords", self.action.reset(typed(user)?, password, &context)).await
    }
}

/// Password resets, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct ResetPasswordsService {
    core: Core,
    resets: Arc<dyn PasswordResetRepository>,
    tokens: ResetTokens,
    resets_user_passwords: Arc<dyn Resets>,
    delivery: Arc<dyn Delivers<PasswordResetMessage>>,
}

/// A reset token that was right: whose it is, and its hash, by which it is marked as used.
struct Redeemed {
    user: User,
    token_hash: String,
}

impl ResetPasswordsService {
    pub(super) fn new(
        core: &Core,
        resets: Arc<dyn PasswordResetRepository>,
        resets_user_passwords: Arc<dyn Resets>,
        delivery: Arc<dyn Delivers<PasswordResetMessage>>,
    ) -> Self {
        let tokens = ResetTokens::new(core, Arc::clone(&resets));
        Self { core: core.clone(), resets, tokens, resets_user_passwords, delivery }
    }

    pub(super) fn min_password_characters(&self) -> usize {
        self.core.config.password_min_characters
    }

    /// How the delivery and the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        let mut found = Vec::new();
        if self.delivers_in_response() {
            let message =
                "reset tokens are in responses: everybody can open every account whose address they know";
            found.push(Deviation::in_response("password_reset_delivery", &["6.4.3"], message));
        }
        found.extend(of_settings(&self.core.config));
        found
    }

    /// Whether reset tokens are in responses.
    pub(super) fn delivers_in_response(&self) -> bool {
        self.delivery.channel() == Channel::InResponse
    }

    /// Makes a reset token for the account of an address and has it delivered (specification §15.2). If the address has got one
    /// a moment ago, that token is delivered again. An address without an account takes the same work. With `InResponse` each token
    /// is a new one and is returned, or a decoy.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`], [`AuthError::Overloaded`].
    pub async fn request(
        &self,
        email: &EmailAddress,
        client: ClientAddress,
    ) -> Result<Option<String>, AuthError> {
        let is_known = self.core.address_knows(email.as_str(), client);
        self.core.count_call_from(REQUEST_LIMITS, email.as_str(), client, is_known).await?;
        // Also if the token of a moment ago will be mailed again: the time must not tell.
        let new = self.new_token(client).await?;
        match self.delivery.channel() {
            Channel::InResponse => {
                match self.user_of(email).await? {
                    Some(_) => self.tokens.store(&new, email.as_str()).await?,
                    // Also a write, which changes nothing: the time must not tell.
                    None => self.tokens.delete(email.as_str()).await?,
                }
                Ok(Some(String::clone(&new.token)))
            }
            // From here on the work depends on whether the address has an account, so the response does not wait for it.
            Channel::OutOfBand => {
                let (service, email) = (self.clone(), email.clone());
                self.core.background.spawn("making a reset token", async move {
                    if let Err(error) = service.send(&email, &new).await {
                        log::reset_token_not_made(error.code().as_str(), cause(error.cause()));
                    }
                });
                Ok(None)
            }
        }
    }

    /// A token that nobody has yet.
    async fn new_token(&self, client: ClientAddress) -> Result<NewToken, AuthError> {
        let token = Zeroizing::new(random::hex::<32>()?);
        let hash =
            self.core.reset_tokens_of(client).rehash(&Password::to_check(String::clone(&token))).await?;
        Ok(NewToken { token, hash })
    }

    /// Has a new token delivered to a user whose password was removed, unless tokens are in responses. Earlier tokens end.
    pub(super) async fn mail_anew(&self, user: &User, reason: PasswordResetReason) -> Result<(), AuthError> {
        self.tokens.delete(user.email()).await?;
        if self.delivers_in_response() {
            return Ok(());
        }
        let new = self.new_token(ClientAddress::UNKNOWN).await?;
        self.mail(user, &new, reason).await
    }

    /// The active user with an address.
    async fn user_of(&self, email: &EmailAddress) -> Result<Option<User>, AuthError> {
        let user = self.core.users.find_by_email(email.as_str()).await?;
        self.core.usable(user).await
    }

    /// Has the token of an address delivered to its account, if there is one.
    async fn send(&self, email: &EmailAddress, new: &NewToken) -> Result<(), AuthError> {
        match self.user_of(email).await? {
            Some(user) => self.mail(&user, new, PasswordResetReason::Requested).await,
            None => Ok(()),
        }
    }

    /// Has the user's token of a moment ago delivered, or otherwise the new one.
    async fn mail(&self, user: &User, new: &NewToken, reason: PasswordResetReason) -> Result<(), AuthError> {
        let PendingToken { token, expires_at } = self.tokens.repeated_or(new, &**user, user.email()).await?;
        let message = PasswordResetMessage {
            email: user.email().to_owned(),
            name: user.name().to_owned(),
            email_verified: user.email_verified_at().is_some(),
            token: String::clone(&token),
            reason,
            expires_at,
            language: match reason {
                PasswordResetReason::Requested => self.core.language_of(&**user),
                _ => self.core.language_of_owner(&**user),
            },
        };
        self.core.deliver(&self.delivery, message);
        Ok(())
    }

    /// Sets a new password for somebody who has the newest token of an address, and ends all sessions of the user
    /// (specification §15.3).
    ///
    /// # Errors
    /// [`AuthError::InvalidResetToken`], also if the account gets another address or password, or is suspended, before the
    /// new password is written; [`AuthError::ExpiredResetToken`], what the action or the policy refuses with,
    /// [`AuthError::TooManyAttempts`].
    pub async fn reset(
        &self,
        email: &EmailAddress,
        token: &str,
        password: &NewPassword,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        self.core.count_call(&[Limit::ResetPasswordClient], email.as_str(), client).await?;
        let guess = Guess::at_address(AttemptKind::PasswordReset, TOKEN_LIMITS, email, client);
        let redeemed = self.core.guess(&guess, self.redeem(email, token, client)).await?;
        let (service, email, password) = (self.clone(), email.clone(), password.clone());
        self.core
            .run_to_completion(async move { service.complete(&redeemed, &email, &password, client).await })
            .await
    }

    /// Stores the new password and does all that follows from it.
    async fn complete(
        &self,
        Redeemed { user, token_hash }: &Redeemed,
        email: &EmailAddress,
        password: &NewPassword,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let reset = async {
            self.core.policy.allows_password(password, &**user, &self.core.passwords_of(client)).await?;
            let reset = Arc::new(RedeemedReset::of(&self.core, user));
            // An action with a database of its own writes without the conditions of its context.
            let now = reset.still_valid().await?;
            Ok(self.resets_user_passwords.reset(&reset, &*now, password, client).await?)
        };
        if let Err(refused) = reset.await {
            // The token was right and has changed nothing: it may be used again with another password. What has made it
            // invalid meanwhile does not pass.
            match refused {
                AuthError::InvalidResetToken => self.tokens.forget(email.as_str()),
                _ => self.core.store.delete(StoreKey::ResetUsed, &[token_hash]).await?,
            }
            return Err(refused);
        }
        let (id, share) = (user.id_text(), self.core.config.request_timeout / 4);
        let end = async {
            let ceremonies = self.core.end_ceremonies(&[Ceremonies::OfMailbox], &id).await;
            self.core.end_all_sessions(&id).await?;
            if self.delivery.channel() == Channel::OutOfBand {
                self.core.remove_after_reset(user, client).await?;
            }
            ceremonies
        };
        if let Err(failure) = end.await {
            // The password has changed, but not all sessions have ended: the token may be used again to end them.
            self.core.emit_about(EventKind::PasswordReset, &**user, client).await;
            self.core.store.delete(StoreKey::ResetUsed, &[token_hash]).await?;
            return Err(failure);
        }
        // A failure from here on undoes nothing: the token stays used until it expires.
        let delete = self.delete_used(&id, email, token_hash);
        best_effort("deleting a used reset token", share, delete).await;
        // One step, so that a store that cannot be reached delays the response once.
        let forget = async {
            self.core.forget_clients(&id, client).await?;
            self.core.password_replaced(&id, email.as_str(), client).await
        };
        best_effort("forgetting the clients and the counters of a replaced password", share, forget).await;
        if self.delivery.channel() == Channel::OutOfBand {
            let answer = self.core.recovered(&id, email.as_str(), Recovered::Reset);
            best_effort("recording the reset for the notices before it", share, answer).await;
        }
        self.core.emit_about(EventKind::PasswordReset, &**user, client).await;
        match self.delivery.channel() {
            // If this fails, the next reset by mail does it.
            Channel::OutOfBand if self.core.verifies_addresses() => {
                self.core.owner_arrives(user, ProvenBy::Reset, client).await.map(drop)
            }
            Channel::OutOfBand => Ok(()),
            // The token was in a response, which proves nothing.
            Channel::InResponse => Ok(()),
        }
    }

    /// Deletes the token with which this user has reset the password. A newer one stays: since the write of the password, somebody may have
    /// taken it away again and mailed another token (specification §15.9).
    async fn delete_used(&self, user_id: &str, email: &EmailAddress, hash: &str) -> Result<(), AuthError> {
        let stored = self.resets.find_by_email(&self.key(email)).await?;
        if stored.is_some_and(|stored| stored.token != hash) {
            return Ok(());
        }
        self.tokens.delete(email.as_str()).await?;
        match self.core.users.find_by_id(user_id).await? {
            // The deleted token may have been the newer one, which was stored between the two calls.
            Some(now) if !now.has_password() => {
                self.core.mail_way_back(user_id, Recovery::PasswordRemoved).await
            }
            _ => Ok(()),
        }
    }

    fn key(&self, email: &EmailAddress) -> String {
        self.core.repository_key(email.as_str())
    }

    /// Compares the token with the stored hash and marks it as used.
    async fn redeem(
        &self,
        email: &EmailAddress,
        token: &str,
        client: ClientAddress,
    ) -> Result<Checked<Redeemed>, AuthError> {
        // The record is read before the token: a change of the password deletes the token before it writes the new password. A
        // request that still finds the token has therefore read the previous password, and its write is refused.
        let user = self.core.users.find_by_email(email.as_str()).await?;
        let stored = self.resets.find_by_email(&self.key(email)).await?;
        let hash = stored.as_ref().map(|stored| stored.token.as_str());
        let token = Password::to_check(token.to_owned());
        let verdict = self.core.reset_tokens_of(client).verify(&token, hash).await?;
        let Some(StoredResetToken { token: token_hash, created_at }) =
            stored.filter(|_| verdict != Verdict::Mismatch)
        else {
            return Ok(Checked::Wrong(AuthError::InvalidResetToken));
        };
        let lifetime = self.core.config.reset_token_lifetime;
        if self.core.now() >= created_at + lifetime {
            return Ok(Checked::Wrong(AuthError::ExpiredResetToken));
        }
        let Some(user) = self.core.usable(user).await? else {
            return Ok(Checked::Wrong(AuthError::InvalidResetToken));
        };
        Ok(match self.core.store.claim(StoreKey::ResetUsed, &[&token_hash], lifetime).await? {
            true => Checked::Right(Redeemed { user, token_hash }),
            false => Checked::Wrong(AuthError::InvalidResetToken),
        })
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    let lifetime = settings.reset_token_lifetime;
    posture::of_lifetime("reset_token_lifetime", "a reset token", lifetime).into_iter().collect()
}
