//! A hundred tasks at once, on two connections.

use super::{MINUTE, Prefixed, RedisStore, is_full, take};
use crate::store::{EphemeralStore, Slot};
use crate::testing::servers::REDIS;
use std::sync::Arc;
use tokio::sync::Barrier;

/// Runs the operation in a hundred tasks at once, half of them on another connection, and returns the results.
async fn at_once<T, F>(redis: &Prefixed, operation: impl Fn(RedisStore, u8) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let other = RedisStore::connect(&REDIS.find().unwrap()).unwrap().prefix(&redis.prefix);
    let barrier = Arc::new(Barrier::new(100));
    let tasks = (0..100).map(|task| {
        let store = if task % 2 == 0 { redis.store.clone() } else { other.clone() };
        let (operation, barrier) = (operation(store, task), Arc::clone(&barrier));
        tokio::spawn(async move {
            barrier.wait().await;
            operation.await
        })
    });
    let mut results = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        results.push(task.await.unwrap());
    }
    results
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_swap_succeeds() {
    let Some(redis) = Prefixed::new() else { return };
    for round in 0..5 {
        let key = format!("v{round}");
        let of_none = at_once(&redis, |store, task| {
            let key = key.clone();
            async move { store.swap(&key, None, &[task], MINUTE).await.unwrap() }
        });
        let winners: Vec<_> = of_none.await.into_iter().enumerate().filter(|(_, won)| *won).collect();
        let &[(winner, _)] = &winners[..] else { panic!("{winners:?}") };
        let current = redis.store.get(&key).await.unwrap().unwrap();
        assert_eq!(current, [winner as u8], "the value is the winner's");
        let of_a_value = at_once(&redis, |store, task| {
            let (key, current) = (key.clone(), current.clone());
            async move { store.swap(&key, Some(&current), &[task, task], MINUTE).await.unwrap() }
        });
        assert_eq!(of_a_value.await.into_iter().filter(|won| *won).count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn as_many_attempts_are_counted_as_the_limit_says() {
    let Some(redis) = Prefixed::new() else { return };
    for round in 0..5 {
        let key = format!("c{round}");
        let slots = at_once(&redis, |store, _| {
            let key = key.clone();
            async move { store.count(&key, 7, MINUTE).await.unwrap() }
        });
        let windows = slots.await.into_iter().filter_map(|slot| match slot {
            Slot::Taken { window } => Some(window),
            Slot::Full { .. } => None,
        });
        let windows: Vec<_> = windows.collect();
        assert_eq!(windows.len(), 7);
        assert!(windows.iter().all(|window| *window == windows[0]), "one window: {windows:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn slots_that_are_given_back_at_once_are_all_free() {
    let Some(redis) = Prefixed::new() else { return };
    let mut windows = Vec::new();
    for _ in 0..100 {
        windows.push(take(&redis.store, "c", 100).await);
    }
    assert!(is_full(&redis.store, "c", 100).await);
    at_once(&redis, |store, task| {
        let window = windows[usize::from(task)];
        async move { store.give_back("c", window).await.unwrap() }
    })
    .await;
    let slots = at_once(&redis, |store, _| async move { store.count("c", 60, MINUTE).await.unwrap() }).await;
    assert_eq!(slots.into_iter().filter(|slot| matches!(slot, Slot::Taken { .. })).count(), 60);
}
