//! Several operations at the same time.

use super::{LONG, StoreCases, key};
use crate::store::{Slot, Window};
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::race::{ROUNDS, TASKS, race};
use crate::testing::conformance::suite::Checked;

/// Lets a hundred swaps expect the same, each with its own value. Returns the value that was set.
async fn swap(store: &StoreCases, key: &str, expected: Option<&[u8]>, over: &str) -> Result<Vec<u8>, Broken> {
    let swaps = race(TASKS, |number| {
        let (store, key) = (store.clone(), key.to_owned());
        let (expected, mut value) = (expected.map(<[u8]>::to_vec), format!("{number}").into_bytes());
        // Different from the expected value in each round.
        value.resize(value.len() + expected.as_ref().map_or(0, Vec::len), b'x');
        async move { Ok(store.swap(&key, expected.as_deref(), &value, LONG).await?.then_some(value)) }
    });
    let mut set: Vec<_> = swaps.await?.into_iter().flatten().collect();
    let number = set.len();
    let Some(value) = set.pop().filter(|_| number == 1) else {
        return Err(Broken::new(format!(
            "{number} of {TASKS} concurrent calls of `swap` over {over} returned true"
        )));
    };
    store.must_be(key, Some(&value), "after the `swap` that returned true").await?;
    Ok(value)
}

pub(super) async fn one_of_a_hundred_sets_an_absent_value(store: StoreCases) -> Checked {
    for _ in 0..ROUNDS {
        let key = key()?;
        swap(&store, &key, None, "an absent value").await?;
        store.delete(&key).await?;
    }
    Ok(())
}

pub(super) async fn one_of_a_hundred_sets_an_expired_value(store: StoreCases) -> Checked {
    for _ in 0..ROUNDS {
        let key = key()?;
        let life = store.time.lifetime();
        store.put(&key, b"one", life.duration).await?;
        life.end().await;
        swap(&store, &key, None, "an expired value").await?;
        store.delete(&key).await?;
    }
    Ok(())
}

pub(super) async fn one_of_a_hundred_replaces_a_value(store: StoreCases) -> Checked {
    let key = key()?;
    let mut value = b"one".to_vec();
    store.put(&key, &value, LONG).await?;
    for _ in 0..ROUNDS {
        value = swap(&store, &key, Some(&value), "the same value").await?;
    }
    store.delete(&key).await
}

/// Below `TASKS`.
const LIMIT: u32 = 7;

/// Counts a hundred attempts at once, and returns the windows of those that were counted.
async fn count(store: &StoreCases, key: &str) -> Result<Vec<Window>, Broken> {
    let attempts = race(TASKS, |_| {
        let (store, key) = (store.clone(), key.to_owned());
        async move { store.count(&key, LIMIT, LONG).await }
    });
    let taken = attempts.await?.into_iter().filter_map(|slot| match slot {
        Slot::Taken { window } => Some(window),
        Slot::Full { .. } => None,
    });
    let windows: Vec<_> = taken.collect();
    ensure!(
        windows.len() == LIMIT as usize,
        "{} of {TASKS} concurrent attempts returned `Taken` with a limit of {LIMIT}",
        windows.len()
    );
    ensure!(
        windows.iter().all(|window| Some(window) == windows.first()),
        "attempts at the same time were counted in different windows"
    );
    store.full(key, LIMIT, LONG, &format!("after {TASKS} attempts")).await?;
    Ok(windows)
}

pub(super) async fn a_hundred_attempts_are_counted_to_the_limit(store: StoreCases) -> Checked {
    for _ in 0..ROUNDS {
        let key = key()?;
        count(&store, &key).await?;
        store.delete(&key).await?;
    }
    Ok(())
}

pub(super) async fn a_hundred_attempts_start_one_window(store: StoreCases) -> Checked {
    for _ in 0..ROUNDS {
        let key = key()?;
        let life = store.time.lifetime();
        store.taken(&key, LIMIT, life.duration, "below its limit").await?;
        life.end().await;
        count(&store, &key).await?;
        store.delete(&key).await?;
    }
    Ok(())
}

pub(super) async fn a_hundred_places_are_given_back(store: StoreCases) -> Checked {
    let key = key()?;
    let limit = TASKS as u32;
    let mut window = store.taken(&key, limit, LONG, "below its limit").await?;
    for _ in 1..TASKS {
        window = store.taken(&key, limit, LONG, "below its limit").await?;
    }
    // One of them stays.
    race(TASKS - 1, |_| {
        let (store, key) = (store.clone(), key.clone());
        async move { store.give_back(&key, window).await }
    })
    .await?;
    let place = format!("after {TASKS} attempts and {} concurrent calls of `give_back`", TASKS - 1);
    store.has_free(&key, 2, 3, &place).await?;
    store.delete(&key).await
}
