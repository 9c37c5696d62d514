//! Checks of a secret that someone could guess, under their rate limits.

use super::Core;
use crate::client::ClientAddress;
use crate::config::Limit;
use crate::error::AuthError;
use crate::events::{EventKind, LimitedAction};
use crate::limits::{Attempt, Checked, Subject};

/// The limits of passwords that a user who has signed in enters.
pub(crate) const PASSWORD_LIMITS: &[Limit] = &[Limit::ConfirmPassword, Limit::ConfirmPasswordLong];

/// An attempt that could be a guess at a secret: its limits, account and client.
pub(crate) struct Guess<'a> {
    /// The action that `auth.lockout` names when a limit refuses the attempt.
    pub(crate) action: LimitedAction,
    /// The limits, in the order in which their slots are taken.
    pub(crate) limits: &'static [Limit],
    /// The account's id, or the e-mail address in the request.
    pub(crate) account: &'a str,
    /// The user whom `auth.lockout` names, if the user is known.
    pub(crate) user_id: Option<&'a str>,
    pub(crate) client: ClientAddress,
}

impl Core {
    /// Checks a secret under its limits. The slots are taken before the check starts.
    pub(crate) async fn guess<T>(
        &self,
        guess: &Guess<'_>,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        self.attempt(guess).await?.check(check).await
    }

    /// Only takes the slots, for a check that runs in a separate task. A full counter emits `auth.lockout`.
    pub(crate) async fn attempt(&self, guess: &Guess<'_>) -> Result<Attempt, AuthError> {
        let from = guess.client.limit_key();
        let subject = Subject { account: guess.account, client: &from };
        let attempt = self.limits.attempt(guess.limits, subject).await;
        attempt.inspect_err(|error| {
            if matches!(error, AuthError::TooManyAttempts { .. }) {
                let lockout = EventKind::Lockout { attempt: guess.action };
                self.events.emit(lockout, guess.user_id.map(str::to_owned), guess.client);
            }
        })
    }

    /// Clears the counters of an account.
    pub(crate) async fn unlock(&self, user_id: &str, email: &str) -> Result<(), AuthError> {
        self.limits.clear(&[user_id, email]).await
    }

    /// Counts a call towards limits that count all calls, successful or not.
    pub(crate) async fn count_call(
        &self,
        limits: &[Limit],
        account: &str,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let from = client.limit_key();
        for limit in limits {
            self.limits.count_call(*limit, Subject { account, client: &from }).await?;
        }
        Ok(())
    }
}
