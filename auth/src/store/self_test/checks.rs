//! What the self-test checks.

use crate::crypto::random;
use crate::error::BoxError;
use crate::store::{EphemeralStore, Slot, Window};
use std::time::Duration;

/// The time to live of the test's entries, should it not reach its end.
const TTL: Duration = Duration::from_secs(60);

/// What the test has found. It does not change until the process ends.
pub(super) type Verdict = Result<(), Wrong>;

/// What a store does wrong, as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store has failed its self-test and is not used: {0}")]
pub(super) struct Wrong(&'static str);

/// Tests each operation on random keys.
///
/// # Errors
/// When an operation fails.
pub(super) async fn check(store: &dyn EphemeralStore) -> Result<Verdict, BoxError> {
    let id = random::id()?;
    let (value, counter) = (format!("self-test:{id}-value"), format!("self-test:{id}-counter"));
    let verdict = match values(store, &value).await? {
        Ok(()) => counters(store, &counter).await?,
        wrong => wrong,
    };
    store.delete(&value).await?;
    store.delete(&counter).await?;
    Ok(verdict)
}

/// Returns the sentence if the condition does not hold.
macro_rules! ensure {
    ($condition:expr, $sentence:literal) => {
        if !$condition {
            return Ok(Err(Wrong($sentence)));
        }
    };
}

async fn values(store: &dyn EphemeralStore, key: &str) -> Result<Verdict, BoxError> {
    let (first, second): (&[u8], &[u8]) = (b"\0first\xff", b"");
    ensure!(store.get(key).await?.is_none(), "`get` returns a value for a key that was never used");
    ensure!(
        !store.swap(key, Some(second), first, TTL).await?,
        "`swap` with an expected value succeeds although there is none"
    );
    ensure!(
        store.swap(key, None, first, TTL).await?,
        "`swap` without an expected value fails although there is none"
    );
    ensure!(
        store.get(key).await?.as_deref() == Some(first),
        "`get` does not return the value that `swap` has set"
    );
    ensure!(
        !store.swap(key, None, second, TTL).await?,
        "`swap` without an expected value succeeds although there is one, so a code could be used twice"
    );
    ensure!(
        !store.swap(key, Some(second), second, TTL).await?,
        "`swap` succeeds although the value is not the expected one"
    );
    ensure!(
        store.swap(key, Some(first), second, TTL).await?,
        "`swap` fails although the value is the expected one"
    );
    ensure!(
        store.get(key).await?.as_deref() == Some(second),
        "`get` does not return the value that `swap` has set"
    );
    store.put(key, first, TTL).await?;
    ensure!(
        store.get(key).await?.as_deref() == Some(first),
        "`get` does not return the value that `put` has set"
    );
    store.put(key, second, Duration::ZERO).await?;
    ensure!(store.get(key).await?.is_none(), "`get` returns a value whose time to live has ended");
    ensure!(
        store.swap(key, None, first, TTL).await?,
        "`swap` without an expected value fails although the time to live of the value has ended"
    );
    store.delete(key).await?;
    ensure!(store.get(key).await?.is_none(), "`get` returns a value that `delete` has removed");
    Ok(Ok(()))
}

async fn counters(store: &dyn EphemeralStore, key: &str) -> Result<Verdict, BoxError> {
    let is_full = async || Ok::<_, BoxError>(matches!(store.count(key, 2, TTL).await?, Slot::Full { .. }));
    let Slot::Taken { window } = store.count(key, 2, TTL).await? else {
        return Ok(Err(Wrong("`count` refuses the first attempt")));
    };
    ensure!(
        matches!(store.count(key, 2, TTL).await?, Slot::Taken { window: second } if second == window),
        "`count` does not count two attempts of two in one window"
    );
    ensure!(is_full().await?, "`count` counts more attempts than the limit, so secrets could be guessed");
    store.give_back(key, Window::new(window.get() ^ 1)).await?;
    ensure!(is_full().await?, "`give_back` takes back an attempt of another window");
    store.give_back(key, window).await?;
    ensure!(!is_full().await?, "`give_back` does not take back an attempt of the current window");
    ensure!(is_full().await?, "`give_back` takes back more than one attempt");
    store.delete(key).await?;
    ensure!(!is_full().await?, "`delete` does not remove a counter");
    Ok(Ok(()))
}
