//! Attempts in flight in this process. They hold permits, which may still be released.
//!
//! While attempts in flight hold slots of a full counter, the next attempt may still succeed. Without this wait, the
//! sixth of twenty parallel valid logins would be refused, although none of them failed.

use crate::store::Slots;
use crate::sync::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;

/// The attempts in flight, by key. A key is removed with its last attempt.
#[derive(Default)]
pub(super) struct InFlight(Mutex<HashMap<String, Arc<watch::Sender<Status>>>>);

/// The attempts in flight under one key.
#[derive(Clone, Copy, Default)]
struct Status {
    /// Attempts that are being counted in the store.
    requesting: usize,
    /// Attempts that hold a permit.
    holding: usize,
    /// How many permits have been released so far.
    released: u64,
}

/// An attempt that waits for a permit.
pub(super) struct Waiter {
    in_flight: Arc<InFlight>,
    key: String,
    status: Arc<watch::Sender<Status>>,
}

/// An attempt while it is being counted in the store.
pub(super) struct Request<'a> {
    waiter: &'a Waiter,
    released_before: Completions,
}

/// The number of released permits at some moment.
#[derive(Clone, Copy)]
pub(super) struct Completions(u64);

/// The permit of one attempt to continue: a slot of a counter. Dropping it releases it.
pub(super) struct Permit {
    waiter: Waiter,
    slots: Slots,
}

impl Waiter {
    pub(super) fn new(in_flight: &Arc<InFlight>, key: String) -> Self {
        let mut keys = in_flight.0.lock().unwrap_or_else(PoisonError::into_inner);
        let status = Arc::clone(keys.entry(key.clone()).or_default());
        Self { in_flight: Arc::clone(in_flight), key, status }
    }

    /// Must be called before the attempt is counted in the store.
    pub(super) fn request(&self) -> Request<'_> {
        let mut released = 0;
        self.status.send_modify(|status| {
            status.requesting += 1;
            released = status.released;
        });
        Request { waiter: self, released_before: Completions(released) }
    }

    /// Waits until the number of released permits differs from `before`: counting the attempt again may then succeed.
    /// Returns `false` when no other attempt is in flight.
    pub(super) async fn wait_for_release(&self, Completions(before): Completions) -> bool {
        let mut status = self.status.subscribe();
        let settled =
            |status: &Status| status.released != before || (status.holding == 0 && status.requesting == 0);
        let settled = status.wait_for(settled).await.map(|status| *status);
        settled.is_ok_and(|status| status.released != before)
    }
}

impl Request<'_> {
    /// The attempt was counted.
    pub(super) fn acquire(self, slots: Slots) -> Permit {
        let Waiter { in_flight, key, status } = self.waiter;
        status.send_modify(|status| status.holding += 1);
        let waiter =
            Waiter { in_flight: Arc::clone(in_flight), key: key.clone(), status: Arc::clone(status) };
        Permit { waiter, slots }
    }

    /// The counter is full.
    pub(super) fn full(self) -> Completions {
        self.released_before
    }
}

impl Permit {
    pub(super) const fn slots(&self) -> &Slots {
        &self.slots
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.waiter.status.send_modify(|status| status.requesting -= 1);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.waiter.status.send_modify(|status| {
            status.holding -= 1;
            status.released += 1;
        });
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut keys = self.in_flight.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Two references are left: this one and the map's. Under the lock no other waiter can take one.
        if Arc::strong_count(&self.status) == 2 {
            keys.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn permit(in_flight: &Arc<InFlight>) -> Permit {
        Waiter::new(in_flight, "k".to_owned()).request().acquire(Slots::none())
    }

    #[tokio::test]
    async fn without_another_attempt_in_flight_there_is_no_wait() {
        let in_flight = Arc::default();
        let waiter = Waiter::new(&in_flight, "k".to_owned());
        let before = waiter.request().full();
        assert!(!waiter.wait_for_release(before).await);
    }

    #[tokio::test]
    async fn a_waiter_sees_every_release_once() {
        let in_flight = Arc::default();
        let first = permit(&in_flight);
        let waiter = Waiter::new(&in_flight, "k".to_owned());
        let before = waiter.request().full();
        let waiting = tokio::time::timeout(Duration::from_millis(5), waiter.wait_for_release(before));
        assert!(waiting.await.is_err());
        drop(first);
        assert!(waiter.wait_for_release(before).await);
        let before = waiter.request().full();
        assert!(!waiter.wait_for_release(before).await, "the release is not counted again");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn fifty_refused_attempts_do_not_wait_for_each_other() {
        let in_flight: Arc<InFlight> = Arc::default();
        let waiters = (0..50).map(|_| {
            let in_flight = Arc::clone(&in_flight);
            tokio::spawn(async move {
                let waiter = Waiter::new(&in_flight, "k".to_owned());
                let request = waiter.request();
                tokio::task::yield_now().await;
                let before = request.full();
                waiter.wait_for_release(before).await
            })
        });
        for waiter in waiters.collect::<Vec<_>>() {
            let waited = tokio::time::timeout(Duration::from_secs(10), waiter).await;
            assert!(!waited.expect("the waiter returns").unwrap());
        }
        assert!(in_flight.0.lock().unwrap().is_empty(), "keys are removed");
    }
}
