//! Checks of a secret that someone could guess, under their rate limits.

use super::Core;
use crate::client::{ClientAddress, ClientKeys};
use crate::config::{Limit, LimitKey, LimitUnit};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::{Attempt, Checked, Subject};
use crate::values::EmailAddress;

/// The limits of passwords that a user who has signed in enters.
pub(crate) const PASSWORD_LIMITS: &[Limit] =
    &[Limit::ConfirmPassword, Limit::ConfirmPasswordLong, Limit::ConsecutiveFailures, Limit::KnownClientLong];

/// The limits whose counters have no meaning any more once the password was replaced by its owner: those of logins, and
/// those of passwords that a user who has signed in enters.
const REPLACED_LOGIN_LIMITS: &[Limit] =
    &[Limit::LoginAccountAndClient, Limit::LoginAccount, Limit::ConsecutiveFailures];
const REPLACED_PASSWORD_LIMITS: &[Limit] =
    &[Limit::ConfirmPassword, Limit::ConfirmPasswordLong, Limit::ConsecutiveFailures];

/// An attempt that could be a guess at a secret: its limits, account and client.
pub(crate) struct Guess<'a> {
    /// The action that `auth.lockout` names when a limit refuses the attempt.
    pub(crate) action: AttemptKind,
    /// The limits, in the order in which their slots are taken.
    pub(crate) limits: &'static [Limit],
    /// The account's id, or the e-mail address in the request.
    pub(crate) account: &'a str,
    /// The user whom `auth.lockout` names, if the user is known.
    pub(crate) user_id: Option<&'a str>,
    pub(crate) client: ClientAddress,
}

impl<'a> Guess<'a> {
    /// An attempt at an account whose user is known.
    pub(crate) const fn at_user(
        action: AttemptKind,
        limits: &'static [Limit],
        user_id: &'a str,
        client: ClientAddress,
    ) -> Self {
        Self { action, limits, account: user_id, user_id: Some(user_id), client }
    }

    /// An attempt at the account of an address that may have one, in its canonical form.
    pub(crate) const fn of_account(
        action: AttemptKind,
        limits: &'static [Limit],
        account: &'a str,
        client: ClientAddress,
    ) -> Self {
        Self { action, limits, account, user_id: None, client }
    }

    /// An attempt at the account of an address, if there is one.
    pub(crate) fn at_address(
        action: AttemptKind,
        limits: &'static [Limit],
        email: &'a EmailAddress,
        client: ClientAddress,
    ) -> Self {
        Self::at_name(action, limits, email.as_str(), client)
    }

    /// An attempt at the account whose counters have this name: its address, or what was typed if nobody was found.
    pub(crate) fn at_name(
        action: AttemptKind,
        limits: &'static [Limit],
        account: &'a str,
        client: ClientAddress,
    ) -> Self {
        Self { action, limits, account, user_id: None, client }
    }
}

impl Core {
    /// Checks a secret of a user under its limits. The slots are taken before the check starts.
    pub(crate) async fn guess<T>(
        &self,
        guess: &Guess<'_>,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        self.attempt(guess).await?.check(check).await
    }

    /// Only takes the slots, for a check that runs in a separate task. The first refusal of a full counter emits
    /// `auth.lockout`.
    pub(crate) async fn attempt(&self, guess: &Guess<'_>) -> Result<Attempt, AuthError> {
        let is_known = async {
            match guess.user_id {
                Some(user_id) => self.knows(user_id, guess.client).await,
                None => self.address_knows(guess.account, guess.client).await,
            }
        };
        self.attempt_from(guess, is_known).await
    }

    /// The same, for a caller who finds out whether the account knows the client. That is asked after the slots were taken
    /// that do not depend on it.
    pub(crate) async fn attempt_from(
        &self,
        guess: &Guess<'_>,
        is_known: impl Future<Output = Result<bool, AuthError>>,
    ) -> Result<Attempt, AuthError> {
        let from = guess.client.limit_keys();
        let subject = Subject { action: guess.action, account: guess.account, client: &from };
        let attempt = self.limits.attempt(guess.limits, subject, is_known).await;
        match attempt {
            Ok(attempt) => Ok(attempt),
            Err(refused) => {
                if refused.is_first {
                    let lockout = EventKind::Lockout { attempt: guess.action };
                    self.events.emit(lockout, guess.user_id.map(str::to_owned), guess.client).await;
                }
                Err(refused.error)
            }
        }
    }

    /// Checks what a client presents of an account that nobody knows yet, under limits of the client alone.
    pub(crate) async fn guess_by_client<T>(
        &self,
        action: AttemptKind,
        limits: &'static [Limit],
        client: ClientAddress,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        let guess = Guess::of_account(action, limits, "", client);
        self.attempt_from(&guess, async { Ok(false) }).await?.check(check).await
    }

    /// Fails while the account is locked against guesses of this kind, for clients that it does not know.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`].
    pub(crate) async fn refuse_if_locked(&self, action: AttemptKind, account: &str) -> Result<(), AuthError> {
        let subject = Subject { action, account, client: &ClientKeys::default() };
        self.limits.refuse_if_locked(subject).await
    }

    /// Clears the counters of an account's failures, whatever was attempted.
    pub(crate) async fn unlock(&self, user_id: &str, email: &str) -> Result<(), AuthError> {
        let is_of_account = |limit: &Limit| {
            let by = limit.counted_by();
            limit.counts() == LimitUnit::Failures
                && matches!(by, LimitKey::PerAccount | LimitKey::PerKindAndAccount)
        };
        let limits: Vec<_> = Limit::ALL.iter().copied().filter(is_of_account).collect();
        for account in [user_id, email] {
            for action in AttemptKind::ALL {
                let subject = Subject { action: *action, account, client: &ClientKeys::default() };
                self.limits.clear(&limits, subject).await?;
                self.limits.forget_refusals(&limits, subject).await?;
            }
        }
        Ok(())
    }

    /// Clears the counters of guesses at a password that has been replaced, for the client that has replaced it and for all
    /// clients together, and unlocks the account. The short counters of wrong one-time codes stay as they are.
    pub(crate) async fn password_replaced(
        &self,
        user_id: &str,
        email: &str,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let client = client.limit_keys();
        let subject = |action, account| Subject { action, account, client: &client };
        self.limits.clear(REPLACED_LOGIN_LIMITS, subject(AttemptKind::Login, email)).await?;
        self.limits.clear(REPLACED_PASSWORD_LIMITS, subject(AttemptKind::Password, user_id)).await?;
        let codes = subject(AttemptKind::TwoFactor, user_id);
        self.limits.clear(&[Limit::ConsecutiveFailures], codes).await
    }

    /// Counts a call of a client towards limits that count all calls, successful or not.
    pub(crate) async fn count_call(
        &self,
        limits: &[Limit],
        account: &str,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        self.count_call_from(limits, account, client, async { Ok(false) }).await
    }

    /// The same, for limits that depend on whether the account knows the client.
    pub(crate) async fn count_call_from(
        &self,
        limits: &[Limit],
        account: &str,
        client: ClientAddress,
        is_known: impl Future<Output = Result<bool, AuthError>>,
    ) -> Result<(), AuthError> {
        let from = client.limit_keys();
        // Limits on calls ignore `action`.
        let subject = Subject { action: AttemptKind::Login, account, client: &from };
        self.limits.count_call(limits, subject, is_known).await
    }
}
