//! Rate limits. A slot is taken *before* a secret is checked and given back on success. Parallel guesses therefore
//! cannot exceed a limit, and parallel valid logins all succeed (specification §17.2). A limit on successes is the other way
//! round: a slot is taken before the work, stays taken on success, and is given back otherwise.

mod in_flight;

use crate::background::BackgroundWork;
use crate::client::ClientKeys;
use crate::clock::{Clock, unix_seconds};
use crate::config::{ClientScope, Limit, LimitKey, LimitUnit, RateLimit, RateLimits};
use crate::error::AuthError;
use crate::events::AttemptKind;
use crate::request::RequestContext;
use crate::store::{Counted, EntryKeys, KeyedStore, Slots, StoreKey};
use crate::telemetry::{cause, log, measure};
use in_flight::{InFlight, Permit, Waiter};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

/// How long only known clients can try after too many consecutive failures.
const LOCK: Duration = Duration::from_secs(24 * 60 * 60);

/// How many times as many attempts a limit per client lets through from an IPv6 line as from one of its networks.
const NETWORKS_OF_A_LINE: u32 = 4;

/// Takes slots of the limits' counters in the store.
pub(crate) struct Limiter {
    store: KeyedStore,
    limits: RateLimits,
    clock: Arc<dyn Clock>,
    background: BackgroundWork,
    in_flight: Arc<InFlight>,
}

/// What an attempt concerns.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// What is attempted.
    pub(crate) action: AttemptKind,
    /// The account's id, or the e-mail address in the request.
    pub(crate) account: &'a str,
    /// The limit keys of the client's address.
    pub(crate) client: &'a ClientKeys,
}

/// A counter of a limit, and how many attempts it lets through.
struct Counter {
    keys: EntryKeys,
    allowed: RateLimit,
}

impl<'a> Subject<'a> {
    /// The parts of the subject that a limit counts by.
    fn counted_by(self, limit: Limit) -> Vec<&'a str> {
        let Self { action, account, client: ClientKeys { narrow: client, .. } } = self;
        match limit.counted_by() {
            LimitKey::PerAccount => vec![account],
            LimitKey::PerClient => vec![client],
            LimitKey::PerAccountAndClient => vec![account, client],
            LimitKey::PerKindAndAccount => vec![action.as_str(), account],
            LimitKey::PerKindAndAccountAndClient => vec![action.as_str(), account, client],
        }
    }
}

/// The slots of one attempt until its outcome is known. Dropping an attempt counts as a failure: its slots of limits on failures
/// stay taken, because who hangs up could otherwise guess without a limit, and those of limits on successes are given back. Only
/// [`RequestContext::timed_out`] gives all of them back.
#[must_use = "an attempt keeps its slots until `check` returns"]
pub(crate) struct Attempt {
    store: KeyedStore,
    slots: Vec<(Limit, Permit)>,
    /// Counters that a success clears although the attempt takes no slot of them.
    others: Vec<EntryKeys>,
    background: BackgroundWork,
}

/// The outcome of checking a secret.
pub(crate) enum Checked<T> {
    /// The secret is correct.
    Right(T),
    /// The secret is wrong. Contains the error for the client.
    Wrong(AuthError),
}

/// An attempt that may not be made.
pub(crate) struct Refused {
    pub(crate) error: AuthError,
    /// Whether a counter is full and this is the first attempt that it refuses in its window.
    pub(crate) is_first: bool,
}

impl From<AuthError> for Refused {
    fn from(error: AuthError) -> Self {
        Self { error, is_first: false }
    }
}

impl Limiter {
    pub(crate) fn new(
        store: KeyedStore,
        limits: RateLimits,
        clock: Arc<dyn Clock>,
        background: BackgroundWork,
    ) -> Self {
        Self { store, limits, clock, background, in_flight: Arc::default() }
    }

    /// Takes a slot in every applicable limit, or in none. Limits for all clients come first, so that the look-up of known clients
    /// runs only if these limits pass.
    ///
    /// If a counter is full but attempts in flight hold some of its slots, this waits for these attempts, because they
    /// may give the slots back. Limits that are used together must always be in the same order; otherwise two attempts
    /// could wait for each other.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`] when a counter is full, [`AuthError::Unavailable`] when the store cannot be
    /// reached.
    pub(crate) async fn attempt(
        &self,
        limits: &[Limit],
        subject: Subject<'_>,
        is_known: impl Future<Output = Result<bool, AuthError>>,
    ) -> Result<Attempt, Refused> {
        let (store, background) = (self.store.clone(), self.background.clone());
        let mut attempt = Attempt { store, slots: Vec::new(), others: Vec::new(), background };
        match self.take_all(&mut attempt, limits, subject, is_known).await {
            Ok(()) => Ok(attempt),
            Err(refused) if matches!(refused.error, AuthError::TooManyAttempts { .. }) => {
                attempt.give_back().await?;
                Err(refused)
            }
            Err(refused) => {
                attempt.give_back_later();
                Err(refused)
            }
        }
    }

    /// Counts a call, successful or not, towards every limit that is for this client.
    ///
    /// # Errors
    /// Those of [`attempt`](Self::attempt).
    pub(crate) async fn count_call(
        &self,
        limits: &[Limit],
        subject: Subject<'_>,
        is_known: impl Future<Output = Result<bool, AuthError>>,
    ) -> Result<(), AuthError> {
        let mut taken = Vec::new();
        let counted = self.count_all(limits, subject, is_known, &mut taken).await;
        if matches!(counted, Err(AuthError::TooManyAttempts { .. })) {
            // The refused call is not counted.
            for slots in &taken {
                self.store.give_back(slots).await?;
            }
        }
        counted
    }

    async fn count_all(
        &self,
        limits: &[Limit],
        subject: Subject<'_>,
        is_known: impl Future<Output = Result<bool, AuthError>>,
        taken: &mut Vec<Slots>,
    ) -> Result<(), AuthError> {
        let mut count_those = async |clients| {
            for limit in limits.iter().filter(|limit| limit.from_clients() == clients) {
                for counter in self.counters(*limit, subject) {
                    match self.count(&counter).await? {
                        Counted::Taken(slots) => taken.push(slots),
                        Counted::Full { retry_after } => {
                            measure::limits_hit(1, limit.key());
                            return Err(AuthError::TooManyAttempts { retry_after });
                        }
                    }
                }
            }
            Ok(())
        };
        count_those(ClientScope::All).await?;
        count_those(clients_like(is_known.await?)).await
    }

    /// Clears the counters of these limits for attempts of this kind, and what they have locked.
    pub(crate) async fn clear(&self, limits: &[Limit], subject: Subject<'_>) -> Result<(), AuthError> {
        for limit in limits {
            for counter in self.counters(*limit, subject) {
                self.store.clear(&counter.keys).await?;
            }
            if *limit == Limit::ConsecutiveFailures {
                let locked = [subject.action.as_str(), subject.account];
                self.store.delete(StoreKey::Locked, &locked).await?;
            }
        }
        Ok(())
    }

    /// Lets the next refusal of these limits be the first one again.
    pub(crate) async fn forget_refusals(
        &self,
        limits: &[Limit],
        subject: Subject<'_>,
    ) -> Result<(), AuthError> {
        for counter in limits.iter().flat_map(|limit| self.counters(*limit, subject)) {
            self.store.delete(StoreKey::Reported, &[counter.keys.name()]).await?;
        }
        Ok(())
    }

    async fn take_all(
        &self,
        attempt: &mut Attempt,
        limits: &[Limit],
        subject: Subject<'_>,
        is_known: impl Future<Output = Result<bool, AuthError>>,
    ) -> Result<(), Refused> {
        self.take_those(attempt, limits, ClientScope::All, subject).await?;
        let clients = clients_like(is_known.await?);
        if clients == ClientScope::Known && limits.contains(&Limit::ConsecutiveFailures) {
            let counters = self.counters(Limit::ConsecutiveFailures, subject);
            attempt.others.extend(counters.into_iter().map(|counter| counter.keys));
        }
        self.take_those(attempt, limits, clients, subject).await
    }

    /// Takes a slot of each of the limits that are for these clients. Calls are counted by [`count_call`](Self::count_call).
    async fn take_those(
        &self,
        attempt: &mut Attempt,
        limits: &[Limit],
        clients: ClientScope,
        subject: Subject<'_>,
    ) -> Result<(), Refused> {
        let is_taken = |limit: &&Limit| limit.from_clients() == clients && limit.counts() != LimitUnit::Calls;
        for limit in limits.iter().filter(is_taken) {
            for counter in self.counters(*limit, subject) {
                attempt.slots.push((*limit, self.take(*limit, &counter, subject).await?));
            }
            if *limit == Limit::ConsecutiveFailures {
                self.refuse_if_locked(subject).await?;
            }
        }
        Ok(())
    }

    async fn take(&self, limit: Limit, counter: &Counter, subject: Subject<'_>) -> Result<Permit, Refused> {
        let waiter = Waiter::new(&self.in_flight, counter.keys.name().to_owned());
        loop {
            let request = waiter.request();
            match self.count(counter).await? {
                Counted::Taken(slots) => return Ok(request.acquire(slots)),
                Counted::Full { retry_after } => {
                    let before = request.full();
                    if !waiter.wait_for_release(before).await {
                        return Err(self.refusal(limit, subject, &counter.keys, retry_after).await?);
                    }
                }
            }
        }
    }

    /// Says that a counter is full, and whether it is the first time in its window.
    async fn refusal(
        &self,
        limit: Limit,
        subject: Subject<'_>,
        counter: &EntryKeys,
        retry_after: Duration,
    ) -> Result<Refused, AuthError> {
        measure::limits_hit(1, limit.key());
        let retry_after = match limit {
            Limit::ConsecutiveFailures => self.lock(subject, counter).await?,
            _ => retry_after,
        };
        // Only failures can be somebody's guesses.
        let is_first = limit.counts() == LimitUnit::Failures
            && self.store.claim(StoreKey::Reported, &[counter.name()], retry_after).await?;
        Ok(Refused { error: AuthError::TooManyAttempts { retry_after }, is_first })
    }

    /// Locks an account for clients that it does not know, and clears the counter for the time after that. In this order:
    /// who is counted after the counter was cleared sees the lock.
    async fn lock(&self, subject: Subject<'_>, counter: &EntryKeys) -> Result<Duration, AuthError> {
        let locked = [subject.action.as_str(), subject.account];
        let end = unix_seconds(self.clock.now()) + LOCK.as_secs();
        self.store.raise(StoreKey::Locked, &locked, end, LOCK).await?;
        self.store.clear(counter).await?;
        Ok(LOCK)
    }

    /// Fails while the account is locked for clients that it does not know.
    pub(crate) async fn refuse_if_locked(&self, subject: Subject<'_>) -> Result<(), AuthError> {
        let locked = [subject.action.as_str(), subject.account];
        let end = self.store.number(StoreKey::Locked, &locked).await?;
        let left = end.and_then(|end| end.checked_sub(unix_seconds(self.clock.now())));
        match left {
            Some(seconds @ 1..) => {
                measure::limits_hit(1, Limit::ConsecutiveFailures.key());
                Err(AuthError::TooManyAttempts { retry_after: Duration::from_secs(seconds) })
            }
            _ => Ok(()),
        }
    }

    /// The counters of a limit. A limit per client has a second one for an IPv6 client, which comes first: a line that is
    /// refused makes no new entries in the store.
    fn counters(&self, limit: Limit, subject: Subject<'_>) -> Vec<Counter> {
        let allowed = self.limits.of(limit);
        let counter = |of: &[&str], allowed| Counter { keys: self.store.counter(limit.key(), of), allowed };
        let line = subject.client.wide.as_deref().filter(|_| limit.counted_by() == LimitKey::PerClient);
        let of_line = line.map(|line| {
            let of_all = allowed.limit.saturating_mul(NETWORKS_OF_A_LINE);
            counter(&[line], RateLimit { limit: of_all, ..allowed })
        });
        of_line.into_iter().chain([counter(&subject.counted_by(limit), allowed)]).collect()
    }

    async fn count(&self, counter: &Counter) -> Result<Counted, AuthError> {
        let RateLimit { limit, window } = counter.allowed;
        self.store.take(&counter.keys, limit, window).await
    }
}

const fn clients_like(is_known: bool) -> ClientScope {
    if is_known { ClientScope::Known } else { ClientScope::Unknown }
}

impl Attempt {
    /// Checks the secret. If it is correct, the account's own counters of failures are cleared, the client's slot is given
    /// back, and slots of limits on successes stay taken. If it is wrong, it is the other way round. If the check fails with
    /// another error, all slots are given back.
    pub(crate) async fn check<T>(
        mut self,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        let outcome = match check.await {
            Ok(Checked::Right(value)) => self.succeed().await.map(|()| value),
            Ok(Checked::Wrong(refusal)) => {
                self.slots.retain(|(limit, _)| limit.counts() == LimitUnit::Successes);
                Err(refusal)
            }
            Err(failure) => Err(failure),
        };
        if outcome.is_err() {
            self.give_back_later();
        }
        outcome
    }

    /// Clears the account's own counters. A counter per client is shared with other accounts, so it is not cleared.
    async fn succeed(&mut self) -> Result<(), AuthError> {
        self.slots.retain(|(limit, _)| limit.counts() != LimitUnit::Successes);
        while let Some((limit, permit)) = self.slots.pop() {
            match limit.counted_by() {
                LimitKey::PerClient => self.store.give_back(permit.slots()).await?,
                _ => self.store.clear(permit.slots().keys()).await?,
            }
        }
        for counter in &self.others {
            self.store.clear(counter).await?;
        }
        Ok(())
    }

    async fn give_back(mut self) -> Result<(), AuthError> {
        give_back(&self.store, &mut self.slots).await
    }

    /// Gives the slots back beside the response: it may be the store that does not respond.
    fn give_back_later(&mut self) {
        if self.slots.is_empty() {
            return;
        }
        let (store, mut slots) = (self.store.clone(), mem::take(&mut self.slots));
        self.background.spawn("giving back an attempt without an outcome", async move {
            if let Err(error) = give_back(&store, &mut slots).await {
                log::attempt_not_given_back(cause(error.cause()));
            }
        });
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if !RequestContext::has_timed_out() {
            self.slots.retain(|(limit, _)| limit.counts() == LimitUnit::Successes);
        }
        self.give_back_later();
    }
}

/// Gives slots back. One that is being given back is no longer among them, so that none is given back twice.
async fn give_back(store: &KeyedStore, slots: &mut Vec<(Limit, Permit)>) -> Result<(), AuthError> {
    while let Some((_, permit)) = slots.pop() {
        store.give_back(permit.slots()).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
