//! Entries with a key for each secret, during a rotation of the secrets (specification §16.5).

use super::{Models, SOME, count, together};
use crate::crypto::keys::{MacKey, Purpose, Secret};
use crate::crypto::ring::KeyRing;
use crate::host::Time;
use crate::store::{Counted, KeyedStore, MemoryStore, Slots, StoreKey};
use futures_util::future::{BoxFuture, FutureExt};
use shuttle::future::block_on;
use std::sync::Arc;
use std::time::Duration;

pub(super) const MODELS: Models = &[
    ("of claims by instances in the middle of a rotation at most one succeeds", SOME, claims),
    ("a number is raised to the highest, and once to each", SOME, raises),
    ("an attempt is counted under all keys or under none", SOME, counts),
];

const MINUTE: Duration = Duration::from_secs(60);

/// The stores of instances with these secrets, of which the first is the current one, over one store.
fn instances<const N: usize>(secrets: [&[u8]; N]) -> [KeyedStore; N] {
    let store = Arc::new(MemoryStore::with(Arc::new(Time::new()), 1600));
    secrets.map(|secrets| {
        let mut ring = secrets.iter().map(|byte| Secret::new(vec![*byte; 32]));
        let current = ring.next().expect("a current secret");
        let keys: KeyRing<MacKey> = KeyRing::new(current, ring.collect()).derive(Purpose::StoreKeys);
        KeyedStore::new(store.clone(), keys, Duration::from_secs(1))
    })
}

fn claims() {
    let claim = |store: KeyedStore| -> BoxFuture<'static, bool> {
        async move { store.claim(StoreKey::ResetUsed, &["r"], MINUTE).await.expect("there is room") }.boxed()
    };
    let instances = instances([&[1], &[1, 2], &[2, 1]]);
    let claimed = together(instances.clone().map(claim));
    assert!(count(&claimed, |claimed| *claimed) <= 1);
    // One whose request is alone afterwards gets it exactly if nobody has it.
    let later = block_on(claim(instances[1].clone()));
    assert_eq!(count(&claimed, |claimed| *claimed) + usize::from(later), 1);
}

fn raises() {
    let [one, other] = instances([&[1, 2], &[2, 1]]);
    let raise = |store: &KeyedStore, number| -> BoxFuture<'static, bool> {
        let store = store.clone();
        async move {
            store.raise(StoreKey::TotpStep, &["7"], number, MINUTE).await.expect("few others write")
        }
        .boxed()
    };
    let raised = together([raise(&one, 1), raise(&one, 2), raise(&other, 2)]);
    assert!(count(&raised[1..], |raised| *raised) <= 1, "a code is accepted at most once");
    assert_eq!(block_on(one.number(StoreKey::TotpStep, &["7"])).expect("the store answers"), Some(2));
    assert!(!block_on(raise(&other, 2)));
}

fn counts() {
    // The secrets of the last two are in use no longer, or not yet, at the other.
    let [both, one, other] = instances([&[1, 2], &[1], &[2]]);
    let take = |store: &KeyedStore| -> BoxFuture<'static, Option<Slots>> {
        let store = store.clone();
        async move {
            match store.count(StoreKey::ChallengeTries, &["c"], 2, MINUTE).await.expect("there is room") {
                Counted::Taken(slots) => Some(slots),
                Counted::Full { .. } => None,
            }
        }
        .boxed()
    };
    let taken = together([take(&both), take(&both), take(&one), take(&other)]);
    let of_both = count(&taken[..2], Option::is_some);
    assert!(taken[2..].iter().all(|taken| of_both + usize::from(taken.is_some()) <= 2));
    block_on(async {
        for slots in taken.iter().flatten() {
            both.give_back(slots).await.expect("the store answers");
        }
    });
    let again: Vec<_> = (0..4).map(|_| block_on(take(&both))).collect();
    assert_eq!(count(&again, Option::is_some), 2, "nothing is left of those that were refused");
}
