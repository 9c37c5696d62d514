//! Attempts that are counted.

use super::{LONG, StoreCases, key};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::suite::Checked;
use std::time::Duration;

pub(super) async fn a_counter_counts_to_its_limit(store: StoreCases) -> Checked {
    let (own, other) = (key()?, key()?);
    for limit in [1, 3] {
        store.has_free(&own, limit, limit, "in a new window").await?;
        for _ in 0..3 {
            store.full(&own, limit, LONG, "after an attempt on a full counter").await?;
        }
        store.has_free(&other, limit, limit, "with a full counter of another key").await?;
        store.delete(&own).await?;
        store.delete(&other).await?;
    }
    Ok(())
}

pub(super) async fn a_full_counter_says_when_its_window_ends(store: StoreCases) -> Checked {
    let key = key()?;
    let life = store.time.lifetime();
    store.taken(&key, 1, life.duration, "below its limit").await?;
    // The window of the call does not matter once one is open.
    for window in [life.duration, LONG] {
        life.part(if window == LONG { 2 } else { 1 }, 3).await;
        let retry_after = store.full(&key, 1, window, "at its limit").await;
        if !life.is_running() {
            return store.delete(&key).await;
        }
        let retry_after = retry_after?;
        ensure!(!retry_after.is_zero(), "`retry_after` is zero before the end of the window");
        let rest = life.rest().unwrap_or(life.duration);
        ensure!(retry_after <= rest, "`retry_after` is {retry_after:?}, but the window ends after {rest:?}");
        // Whole seconds may be rounded down.
        let least = life.rest().unwrap_or_default().saturating_sub(Duration::from_secs(1));
        ensure!(retry_after >= least, "`retry_after` is {retry_after:?}, but the window ends after {rest:?}");
    }
    store.delete(&key).await
}

pub(super) async fn a_window_ends_at_its_time(store: StoreCases) -> Checked {
    let key = key()?;
    let life = store.time.lifetime();
    for _ in 0..2 {
        store.taken(&key, 2, life.duration, "below its limit").await?;
    }
    life.almost().await;
    let before = store.full(&key, 2, life.duration, "shortly before the end of the window").await;
    if life.is_running() {
        before?;
    }
    life.exact_end().await;
    store.has_free(&key, 2, 2, "at the end of the window").await?;
    store.delete(&key).await
}

pub(super) async fn no_attempt_extends_a_window(store: StoreCases) -> Checked {
    let key = key()?;
    let mut life = store.time.lifetime();
    store.taken(&key, 2, life.duration, "below its limit").await?;
    life.has_begun();
    for (part, window) in [(1, life.duration), (2, LONG), (3, life.duration)] {
        life.part(part, 5).await;
        // The first of these is counted, the others find the counter full.
        store.count(&key, 2, window).await?;
        if !life.is_running() {
            return store.delete(&key).await;
        }
    }
    life.end().await;
    store.has_free(&key, 2, 2, "at the end of the window, during which there were further attempts").await?;
    store.delete(&key).await
}

pub(super) async fn an_attempt_on_a_full_counter_is_not_counted(store: StoreCases) -> Checked {
    let key = key()?;
    store.has_free(&key, 2, 2, "in a new window").await?;
    for _ in 0..5 {
        store.full(&key, 2, LONG, "at its limit").await?;
    }
    store.has_free(&key, 1, 3, "after five attempts on a full counter of 2, with a limit of 3").await?;
    store.delete(&key).await
}

pub(super) async fn a_lower_limit_is_full(store: StoreCases) -> Checked {
    let key = key()?;
    for _ in 0..3 {
        store.taken(&key, 5, LONG, "below its limit").await?;
    }
    for limit in [3, 2, 1] {
        store.full(&key, limit, LONG, &format!("after three attempts, with a limit of {limit}")).await?;
    }
    store.has_free(&key, 1, 4, "after three attempts, with a limit of 4").await?;
    store.delete(&key).await
}

pub(super) async fn a_deleted_counter_starts_again(store: StoreCases) -> Checked {
    let (own, other) = (key()?, key()?);
    for key in [&own, &other] {
        store.has_free(key, 2, 2, "in a new window").await?;
    }
    store.delete(&own).await?;
    store.full(&other, 2, LONG, "after a `delete` of another key").await?;
    store.has_free(&own, 2, 2, "after a `delete`").await?;
    store.delete(&own).await?;
    store.delete(&other).await
}
