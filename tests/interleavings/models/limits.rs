//! Attempts under limits, in one process (specification §17.2).

use super::{Models, SOME, count, together};
use crate::background::BackgroundWork;
use crate::client::ClientKeys;
use crate::config::{Limit, RateLimit, RateLimits};
use crate::crypto::keys::{Purpose, Secret};
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::events::AttemptKind;
use crate::host::Time;
use crate::limits::{Checked, Limiter, Subject};
use crate::store::{KeyedStore, MemoryStore};
use crate::sync::{AtomicU64, Ordering};
use futures_util::future::{BoxFuture, FutureExt};
use shuttle::thread;
use std::sync::Arc;
use std::time::Duration;

pub(super) const MODELS: Models = &[
    ("parallel valid logins all succeed, whatever the limit is", SOME, valid),
    ("parallel guesses cannot exceed a limit", SOME, guesses),
    ("a valid login beside guesses waits for them, and nobody waits for ever", SOME, mixed),
    ("who hangs up has made an attempt, and those who wait for it go on", SOME, hang_up),
];

/// Two limits, in the order in which a login takes them.
const LIMITS: &[Limit] = &[Limit::LoginClient, Limit::LoginAccount];

struct Attempts {
    limiter: Limiter,
    /// How many secrets were checked.
    checked: AtomicU64,
}

fn attempts(limit: u32) -> Arc<Attempts> {
    let time = Arc::new(Time::new());
    let keys = KeyRing::new(Secret::new(vec![1; 32]), Vec::new()).derive(Purpose::StoreKeys);
    let store =
        KeyedStore::new(Arc::new(MemoryStore::with(time.clone(), 1600)), keys, Duration::from_secs(1));
    let limits = RateLimits::all(RateLimit::per_seconds(limit, 60));
    Arc::new(Attempts {
        limiter: Limiter::new(store, limits, time, BackgroundWork::default()),
        checked: AtomicU64::new(0),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrets {
    Right,
    Wrong,
    /// The request ends while it is checked.
    HangsUp,
}

/// Whether the attempt succeeded.
fn attempt(attempts: &Arc<Attempts>, secret: Secrets) -> BoxFuture<'static, Result<(), AuthError>> {
    let attempts = Arc::clone(attempts);
    async move {
        let client = ClientKeys { narrow: "192.0.2.1".to_owned(), wide: None };
        let subject = Subject { action: AttemptKind::Login, account: "ada", client: &client };
        let is_known = async { Ok(false) };
        let attempt =
            attempts.limiter.attempt(LIMITS, subject, is_known).await.map_err(|refused| refused.error)?;
        attempts.checked.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
        if secret == Secrets::HangsUp {
            drop(attempt);
            return Err(AuthError::Unauthenticated);
        }
        let check = async {
            Ok(match secret {
                Secrets::Right => Checked::Right(()),
                _ => Checked::Wrong(AuthError::InvalidCredentials),
            })
        };
        attempt.check(check).await
    }
    .boxed()
}

fn is_refused(result: &Result<(), AuthError>) -> bool {
    matches!(result, Err(AuthError::TooManyAttempts { .. }))
}

fn valid() {
    let attempts = attempts(1);
    let results = together((0..3).map(|_| attempt(&attempts, Secrets::Right)));
    assert!(results.iter().all(Result::is_ok));
}

fn guesses() {
    let attempts = attempts(2);
    let results = together((0..4).map(|_| attempt(&attempts, Secrets::Wrong)));
    assert_eq!((count(&results, is_refused), attempts.checked.load(Ordering::SeqCst)), (2, 2));
}

fn mixed() {
    let attempts = attempts(2);
    let secrets = [Secrets::Wrong, Secrets::Right, Secrets::Right, Secrets::Wrong];
    let results = together(secrets.map(|secret| attempt(&attempts, secret)));
    // One guess leaves a place, for which both logins wait. Two leave none.
    let wrong = [&results[0], &results[3]].into_iter().filter(|result| !is_refused(result)).count();
    assert!(wrong == 2 || results[1].is_ok() && results[2].is_ok());
    assert!(results.iter().all(|result| result.is_ok()
        || is_refused(result)
        || matches!(result, Err(AuthError::InvalidCredentials))));
}

fn hang_up() {
    let attempts = attempts(1);
    let results =
        together([Secrets::HangsUp, Secrets::Right, Secrets::Wrong].map(|secret| attempt(&attempts, secret)));
    let failed = usize::from(!is_refused(&results[0])) + usize::from(!is_refused(&results[2]));
    assert_eq!(failed, 1, "of the two failures one has taken the only place");
}
