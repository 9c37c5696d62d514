//! Rate limits. A slot is taken *before* a secret is checked and given back on success. Parallel guesses therefore
//! cannot exceed a limit, and parallel valid logins all succeed (specification §17.2).

mod in_flight;

use crate::config::{CountedBy, Limit, RateLimit, RateLimits};
use crate::error::AuthError;
use crate::store::{Counted, EntryKeys, KeyedStore};
use in_flight::{InFlight, Permit, Waiter};
use std::sync::Arc;

/// Takes slots of the limits' counters in the store.
pub(crate) struct Limiter {
    store: KeyedStore,
    limits: RateLimits,
    in_flight: Arc<InFlight>,
}

/// The account and the client of an attempt.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The account's id, or the e-mail address in the request.
    pub(crate) account: &'a str,
    /// The limit key of the client's address.
    pub(crate) client: &'a str,
}

impl<'a> Subject<'a> {
    /// The parts of the subject that a limit counts by.
    fn counted_by(self, limit: Limit) -> Vec<&'a str> {
        match limit.counted_by() {
            CountedBy::PerAccount => vec![self.account],
            CountedBy::PerClient => vec![self.client],
            CountedBy::PerAccountAndClient => vec![self.account, self.client],
        }
    }
}

/// The slots of one attempt until its outcome is known. Dropping an attempt counts as a failure: its slots stay taken.
#[must_use = "an attempt keeps its slots until `check` returns"]
pub(crate) struct Attempt {
    store: KeyedStore,
    slots: Vec<(Limit, Permit)>,
}

/// The outcome of checking a secret.
pub(crate) enum Checked<T> {
    /// The secret is correct.
    Right(T),
    /// The secret is wrong. Contains the error for the client.
    Wrong(AuthError),
}

impl Limiter {
    pub(crate) fn new(store: KeyedStore, limits: RateLimits) -> Self {
        Self { store, limits, in_flight: Arc::default() }
    }

    /// Takes a slot of every limit, or of none.
    ///
    /// If a counter is full but attempts in flight hold some of its slots, this waits for these attempts, because they
    /// may give the slots back. Limits that are used together must always be in the same order; otherwise two attempts
    /// could wait for each other.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`] when a counter is full, [`AuthError::Unavailable`] when the store cannot be
    /// reached.
    pub(crate) async fn attempt(&self, limits: &[Limit], subject: Subject<'_>) -> Result<Attempt, AuthError> {
        let mut attempt = Attempt { store: self.store.clone(), slots: Vec::with_capacity(limits.len()) };
        for limit in limits {
            match self.take(*limit, subject).await {
                Ok(permit) => attempt.slots.push((*limit, permit)),
                Err(refused) => {
                    attempt.give_back().await?;
                    return Err(refused);
                }
            }
        }
        Ok(attempt)
    }

    /// Counts a call, successful or not.
    ///
    /// # Errors
    /// The same as of [`attempt`](Self::attempt).
    pub(crate) async fn count_call(&self, limit: Limit, subject: Subject<'_>) -> Result<(), AuthError> {
        match self.count(limit, &self.counter(limit, subject)).await? {
            Counted::Taken(_) => Ok(()),
            Counted::Full { retry_after } => Err(AuthError::TooManyAttempts { retry_after }),
        }
    }

    /// Clears the counters of an account, which is counted by its id or by its address.
    pub(crate) async fn clear(&self, accounts: &[&str]) -> Result<(), AuthError> {
        for limit in Limit::ALL.iter().filter(|limit| limit.counted_by() == CountedBy::PerAccount) {
            for account in accounts {
                self.store.clear(&self.store.counter(limit.key(), &[*account])).await?;
            }
        }
        Ok(())
    }

    async fn take(&self, limit: Limit, subject: Subject<'_>) -> Result<Permit, AuthError> {
        let counter = self.counter(limit, subject);
        let waiter = Waiter::new(&self.in_flight, counter.name().to_owned());
        loop {
            let request = waiter.request();
            match self.count(limit, &counter).await? {
                Counted::Taken(slots) => return Ok(request.acquire(slots)),
                Counted::Full { retry_after } => {
                    let before = request.full();
                    if !waiter.wait_for_release(before).await {
                        return Err(AuthError::TooManyAttempts { retry_after });
                    }
                }
            }
        }
    }

    fn counter(&self, limit: Limit, subject: Subject<'_>) -> EntryKeys {
        self.store.counter(limit.key(), &subject.counted_by(limit))
    }

    async fn count(&self, limit: Limit, counter: &EntryKeys) -> Result<Counted, AuthError> {
        let RateLimit { limit, window } = self.limits.of(limit);
        self.store.take(counter, limit, window).await
    }
}

impl Attempt {
    /// Checks the secret. If it is correct, the account's own counters are cleared and the client's slot is given back.
    /// If it is wrong, the slots stay taken. If the check fails with another error, all slots are given back.
    pub(crate) async fn check<T>(
        self,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        match check.await {
            Ok(Checked::Right(value)) => {
                self.succeed().await?;
                Ok(value)
            }
            Ok(Checked::Wrong(refusal)) => Err(refusal),
            Err(failure) => {
                self.give_back().await?;
                Err(failure)
            }
        }
    }

    /// Clears the account's own counters. A counter per client is shared with other accounts, so it is not cleared.
    async fn succeed(self) -> Result<(), AuthError> {
        for (limit, permit) in &self.slots {
            match limit.counted_by() {
                CountedBy::PerClient => self.store.give_back(permit.slots()).await?,
                CountedBy::PerAccount | CountedBy::PerAccountAndClient => {
                    self.store.clear(permit.slots().keys()).await?;
                }
            }
        }
        Ok(())
    }

    async fn give_back(self) -> Result<(), AuthError> {
        for (_, permit) in &self.slots {
            self.store.give_back(permit.slots()).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
