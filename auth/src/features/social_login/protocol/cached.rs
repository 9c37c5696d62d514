//! A document of a provider that is kept for a while.

use super::flaw::Problem;
use crate::clock::Clock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// How long an old document serves if a new one cannot be fetched.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a provider is left alone after a fetch has failed, if there is an old document.
const PAUSE: Duration = Duration::from_secs(5);
/// How often a document is fetched before its time, because something in it is missing.
const RENEWAL: Duration = Duration::from_secs(60);

/// A document that is fetched when it is needed. Callers that need it at once share one fetch.
pub(super) struct Cached<T> {
    fresh: Duration,
    slot: Mutex<Slot<T>>,
    /// Held while the document is fetched.
    turn: tokio::sync::Mutex<()>,
}

struct Slot<T> {
    document: Option<(Arc<T>, SystemTime)>,
    failed_at: Option<SystemTime>,
    /// How many fetches have failed.
    failures: u64,
    renewed_at: Option<SystemTime>,
}

impl<T> Cached<T> {
    /// A document that is fresh for this time.
    pub(super) fn new(fresh: Duration) -> Self {
        let slot = Slot { document: None, failed_at: None, failures: 0, renewed_at: None };
        Self { fresh, slot: Mutex::new(slot), turn: tokio::sync::Mutex::new(()) }
    }

    /// The document. An old one serves if a new one cannot be fetched, and while somebody else fetches it.
    pub(super) async fn get(
        &self,
        clock: &dyn Clock,
        fetch: impl Future<Output = Result<T, Problem>> + Send,
    ) -> Result<Arc<T>, Problem> {
        if let Some(document) = self.younger_than(self.fresh, clock.now()) {
            return Ok(document);
        }
        let old = self.younger_than(self.fresh + STALE, clock.now());
        let failures = self.slot().failures;
        let _turn = match self.turn.try_lock() {
            Ok(turn) => turn,
            Err(_) => match old {
                Some(old) => return Ok(old),
                None => self.turn.lock().await,
            },
        };
        // Meanwhile somebody else may have fetched it, or may have failed to.
        if let Some(document) = self.younger_than(self.fresh, clock.now()) {
            return Ok(document);
        }
        if self.slot().failures != failures {
            return old.ok_or(Problem::Outage);
        }
        if let Some(old) = &old
            && is_within(PAUSE, self.slot().failed_at, clock.now())
        {
            return Ok(Arc::clone(old));
        }
        match self.fetched(clock, fetch).await {
            Ok(document) => Ok(document),
            Err(problem) => old.ok_or(problem),
        }
    }

    /// A newer document than this one, in which something is missing. `None` if one was fetched for that reason less than a minute ago.
    pub(super) async fn renewed(
        &self,
        clock: &dyn Clock,
        seen: &Arc<T>,
        fetch: impl Future<Output = Result<T, Problem>> + Send,
    ) -> Result<Option<Arc<T>>, Problem> {
        let _turn = self.turn.lock().await;
        {
            let mut slot = self.slot();
            if let Some((document, _)) = &slot.document
                && !Arc::ptr_eq(document, seen)
            {
                return Ok(Some(Arc::clone(document)));
            }
            if is_within(RENEWAL, slot.renewed_at, clock.now()) {
                // If the last fetch has failed, what is missing may be there.
                let has_failed = slot.failed_at >= slot.renewed_at;
                return if has_failed { Err(Problem::Outage) } else { Ok(None) };
            }
            slot.renewed_at = Some(clock.now());
        }
        self.fetched(clock, fetch).await.map(Some)
    }

    /// Fetches it. The caller has the turn.
    async fn fetched(
        &self,
        clock: &dyn Clock,
        fetch: impl Future<Output = Result<T, Problem>> + Send,
    ) -> Result<Arc<T>, Problem> {
        let fetched = fetch.await;
        let mut slot = self.slot();
        match fetched {
            Ok(document) => {
                let document = Arc::new(document);
                slot.document = Some((Arc::clone(&document), clock.now()));
                slot.failed_at = None;
                Ok(document)
            }
            Err(problem) => {
                slot.failed_at = Some(clock.now());
                slot.failures = slot.failures.wrapping_add(1);
                Err(problem)
            }
        }
    }

    fn younger_than(&self, age: Duration, now: SystemTime) -> Option<Arc<T>> {
        let slot = self.slot();
        let (document, fetched_at) = slot.document.as_ref()?;
        is_within(age, Some(*fetched_at), now).then(|| Arc::clone(document))
    }

    fn slot(&self) -> MutexGuard<'_, Slot<T>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether it was less than this time ago. A clock that was set back makes nothing older.
fn is_within(time: Duration, then: Option<SystemTime>, now: SystemTime) -> bool {
    then.is_some_and(|then| now.duration_since(then).unwrap_or_default() < time)
}
