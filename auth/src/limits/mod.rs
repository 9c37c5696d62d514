//! Counting attempts. A slot is taken *before* a secret is checked and given back on success, so that guesses in
//! parallel cannot share one and valid logins in parallel all pass (specification §17.2).

mod in_flight;

use crate::config::RateLimit;
use crate::crypto::keys::MacKey;
use crate::error::AuthError;
use crate::store::{EphemeralStore, Slot};
use in_flight::{InFlight, Permit, Waiter};
use std::sync::Arc;
use std::time::Duration;

/// Takes slots in an [`EphemeralStore`].
pub(crate) struct Limiter {
    store: Arc<dyn EphemeralStore>,
    key: MacKey,
    in_flight: Arc<InFlight>,
}

/// What is counted of wrong passwords of an account that is logged in: confirming the password and changing it are one
/// guess alike.
pub(crate) const WRONG_PASSWORDS: &str = "password.account";

/// One counter: whose attempts at what, and how many are let through.
pub(crate) struct Counter<'a> {
    /// What is counted: `login`. Counters of different names never meet.
    pub(crate) name: &'static str,
    /// Whose attempts: the address, the client, or both.
    pub(crate) of: &'a [&'a str],
    /// How many in how long.
    pub(crate) limit: RateLimit,
}

/// The slots of one attempt, until it is known how the attempt ends. Dropped without a word they stay taken: the
/// attempt has failed.
#[must_use = "an attempt that succeeds has to give its slots back"]
pub(crate) struct Attempt {
    store: Arc<dyn EphemeralStore>,
    slots: Vec<Permit>,
}

impl Limiter {
    pub(crate) fn new(store: Arc<dyn EphemeralStore>, key: MacKey) -> Self {
        Self { store, key, in_flight: Arc::default() }
    }

    /// Takes a slot of every counter, or of none.
    ///
    /// Where a counter is full but some of its slots belong to attempts that are still under way, it waits for them:
    /// they may be given back. Counters have to be named in the same order everywhere, so that no two attempts wait
    /// for each other.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`] when one is full, [`AuthError::Unavailable`] when the store cannot be reached.
    pub(crate) async fn attempt(&self, counters: &[Counter<'_>]) -> Result<Attempt, AuthError> {
        let mut attempt =
            Attempt { store: Arc::clone(&self.store), slots: Vec::with_capacity(counters.len()) };
        for counter in counters {
            match self.take(counter).await {
                Ok(slot) => attempt.slots.push(slot),
                Err(refused) => {
                    attempt.give_back().await?;
                    return Err(refused);
                }
            }
        }
        Ok(attempt)
    }

    /// Counts a call, whatever comes of it.
    ///
    /// # Errors
    /// As of [`attempt`](Self::attempt).
    pub(crate) async fn count_call(&self, Counter { name, of, limit }: Counter<'_>) -> Result<(), AuthError> {
        match self.count(&self.key.name(name, of), limit).await? {
            None => Ok(()),
            Some(retry_after) => Err(AuthError::TooManyAttempts { retry_after }),
        }
    }

    /// Forgets all attempts of one counter.
    pub(crate) async fn clear(&self, name: &'static str, of: &[&str]) -> Result<(), AuthError> {
        self.store.delete(&self.key.name(name, of)).await.map_err(AuthError::Unavailable)
    }

    async fn take(&self, Counter { name, of, limit }: &Counter<'_>) -> Result<Permit, AuthError> {
        let waiter = Waiter::new(&self.in_flight, self.key.name(name, of));
        loop {
            let request = waiter.request();
            match self.count(waiter.key(), *limit).await? {
                None => return Ok(request.acquire()),
                Some(retry_after) => {
                    let before = request.full();
                    if !waiter.wait_for_release(before).await {
                        return Err(AuthError::TooManyAttempts { retry_after });
                    }
                }
            }
        }
    }

    /// Counts one attempt, or says how long the counter stays full.
    async fn count(&self, key: &str, limit: RateLimit) -> Result<Option<Duration>, AuthError> {
        match self.store.count(key, limit.limit, limit.window).await.map_err(AuthError::Unavailable)? {
            Slot::Taken => Ok(None),
            Slot::Full { retry_after } => Ok(Some(retry_after)),
        }
    }
}

impl Attempt {
    /// The attempt has succeeded: it was not one of those that the limits are for.
    pub(crate) async fn give_back(self) -> Result<(), AuthError> {
        for slot in &self.slots {
            self.store.give_back(slot.key()).await.map_err(AuthError::Unavailable)?;
        }
        Ok(())
    }
}
