//! The store in memory (specification §21.1, §21.3).

use super::{ALL, Models, SOME, count, together};
use crate::host::Time;
use crate::store::{EphemeralStore, MemoryStore, Slot, Window};
use futures_util::future::{BoxFuture, FutureExt};
use shuttle::future::block_on;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub(super) const MODELS: Models = &[
    ("of swaps that expect no value one succeeds", ALL, swaps_of_none),
    ("of swaps that expect one value one succeeds", ALL, swaps_of_some),
    ("a swap and a deletion leave what their order says", ALL, swap_and_delete),
    ("of attempts as many are counted as the limit says", ALL, counts),
    ("attempts that are given back can be counted again, and no more", SOME, give_backs),
    ("an attempt of a window that has ended frees no place in the next one", SOME, windows),
    ("a full store forgets no full counter and no value that must not be forgotten", SOME, full_store),
];

const MINUTE: Duration = Duration::from_secs(60);

fn store(capacity: usize) -> (MemoryStore, Time) {
    let time = Time::new();
    (MemoryStore::with(Arc::new(time.clone()), capacity), time)
}

fn swap(
    store: &MemoryStore,
    expected: Option<&'static [u8]>,
    value: &'static [u8],
) -> BoxFuture<'static, bool> {
    let store = store.clone();
    async move { store.swap("k", expected, value, MINUTE).await.expect("there is room") }.boxed()
}

fn one_swap_succeeds(store: &MemoryStore, expected: Option<&'static [u8]>) {
    let values: [&[u8]; 3] = [b"1", b"2", b"3"];
    let swapped = together(values.map(|value| swap(store, expected, value)));
    assert_eq!(count(&swapped, |swapped| *swapped), 1);
    let won = swapped.iter().position(|swapped| *swapped).expect("one succeeds");
    let value = block_on(store.get("k")).expect("the store answers");
    assert_eq!(value.as_deref(), Some(values[won]), "it is the one whose caller was told so");
}

fn swaps_of_none() {
    one_swap_succeeds(&store(1600).0, None);
}

fn swaps_of_some() {
    let (store, _) = store(1600);
    block_on(store.put("k", b"0", MINUTE)).expect("there is room");
    one_swap_succeeds(&store, Some(b"0"));
}

fn swap_and_delete() {
    let (store, _) = store(1600);
    block_on(store.put("k", b"0", MINUTE)).expect("there is room");
    let deleting = store.clone();
    let delete = async move {
        deleting.delete("k").await.expect("the store answers");
        true
    };
    let swapped = together([swap(&store, Some(b"0"), b"1"), swap(&store, None, b"2"), delete.boxed()]);
    let value = block_on(store.get("k")).expect("the store answers");
    // Whether there was a deletion between the two swaps: only then the second one succeeds, and its value stays.
    assert_eq!(value.as_deref(), swapped[1].then_some(&b"2"[..]));
}

fn take(store: &MemoryStore, limit: u32) -> BoxFuture<'static, Option<Window>> {
    let store = store.clone();
    async move {
        match store.count("k", limit, MINUTE).await.expect("there is room") {
            Slot::Taken { window } => Some(window),
            Slot::Full { .. } => None,
        }
    }
    .boxed()
}

/// How many attempts are counted until the counter is full.
fn room(store: &MemoryStore, limit: u32) -> usize {
    (0..10).take_while(|_| block_on(take(store, limit)).is_some()).count()
}

fn counts() {
    let (store, _) = store(1600);
    let taken = together((0..3).map(|_| take(&store, 2)));
    assert_eq!(count(&taken, Option::is_some), 2);
    assert_eq!(room(&store, 3), 1, "each was counted once");
}

fn give_backs() {
    let (store, _) = store(1600);
    let kept = together((0..3).map(|number| {
        let (store, taken) = (store.clone(), take(&store, 2));
        async move {
            let window = taken.await?;
            if number == 0 {
                store.give_back("k", window).await.expect("the store answers");
                return None;
            }
            Some(window)
        }
        .boxed()
    }));
    let kept = count(&kept, Option::is_some);
    assert!((1..=2).contains(&kept));
    assert_eq!(room(&store, 5), 5 - kept);
}

fn windows() {
    let (store, time) = store(1600);
    let attempts = (0..4).map(|number| {
        let (store, taken) = (store.clone(), take(&store, 1));
        async move {
            let window = taken.await?;
            let is_back = number % 2 == 0;
            if is_back {
                store.give_back("k", window).await.expect("the store answers");
            }
            Some((window, is_back))
        }
        .boxed()
    });
    let clock = async move {
        time.advance(MINUTE);
        None
    };
    let mut kept: HashMap<Window, usize> = HashMap::new();
    for (window, is_back) in together(attempts.chain([clock.boxed()])).into_iter().flatten() {
        *kept.entry(window).or_default() += usize::from(!is_back);
    }
    assert!(
        kept.values().all(|kept| *kept <= 1),
        "a window counts at most one attempt that is not given back"
    );
    assert!(kept.len() <= 2);
}

fn full_store() {
    // Each of the 16 maps has room for two entries.
    let (store, _) = store(32);
    let kept = together((0..3).map(|thread| {
        let store = store.clone();
        async move {
            let mut kept = Vec::new();
            for number in 0..10 {
                let key = |kind: &str| format!("{kind}:{thread} {number}");
                // A counter that may be forgotten, one that is full, and a value that must stay.
                let _may_fail = store.count(&key("open"), 5, MINUTE).await;
                if store.count(&key("full"), 1, MINUTE).await.is_ok() {
                    kept.push((key("full"), true));
                }
                if number % 3 == 0 && store.put(&key("value"), b"", MINUTE).await.is_ok() {
                    kept.push((key("value"), false));
                }
            }
            kept
        }
        .boxed()
    }));
    let kept: Vec<_> = kept.into_iter().flatten().collect();
    assert!((1..=32).contains(&kept.len()));
    block_on(async {
        for (key, is_counter) in kept {
            match is_counter {
                true => assert!(matches!(store.count(&key, 1, MINUTE).await, Ok(Slot::Full { .. })), "{key}"),
                false => assert!(store.get(&key).await.expect("the store answers").is_some(), "{key}"),
            }
        }
    });
}
