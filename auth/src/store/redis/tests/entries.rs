//! Values and counters.

use super::{MINUTE, Prefixed, is_full, take};
use crate::store::{EphemeralStore, Slot, Window};
use std::time::Duration;

#[tokio::test]
async fn a_value_is_set_compared_and_deleted() {
    let Some(mut redis) = Prefixed::new() else { return };
    let store = redis.store.clone();
    assert_eq!(store.get("a").await.unwrap(), None);
    assert!(!store.swap("a", Some(b""), b"one", MINUTE).await.unwrap(), "no value is not an empty one");
    assert!(store.swap("a", None, b"", MINUTE).await.unwrap());
    assert!(!store.swap("a", None, b"one", MINUTE).await.unwrap(), "an empty value is one");
    assert_eq!(store.get("a").await.unwrap().as_deref(), Some(&b""[..]));
    let binary: Vec<u8> = (0..=255).collect();
    store.put("a", &binary, MINUTE).await.unwrap();
    assert_eq!(store.get("a").await.unwrap().as_ref(), Some(&binary));
    assert!(!store.swap("a", Some(&binary[1..]), b"two", MINUTE).await.unwrap());
    assert!(store.swap("a", Some(&binary), b"\0\xff\r\n", MINUTE).await.unwrap());
    assert_eq!(store.get("a").await.unwrap().as_deref(), Some(&b"\0\xff\r\n"[..]));
    assert_eq!(redis.keys(), ["v:a"]);
    store.delete("a").await.unwrap();
    store.delete("a").await.unwrap();
    assert_eq!(redis.keys(), [""; 0]);
}

#[tokio::test]
async fn lifetimes_are_kept_to_the_millisecond_and_have_no_limits() {
    let Some(mut redis) = Prefixed::new() else { return };
    let store = redis.store.clone();
    store.put("put", b"", MINUTE).await.unwrap();
    store.swap("swap", None, b"", MINUTE).await.unwrap();
    take(&store, "count", 1).await;
    for key in ["v:put", "v:swap", "c:count"] {
        assert!((50_000..=60_000).contains(&redis.expires_in(key)), "{key}");
    }
    // The second value of a swap replaces the lifetime, and counting does not.
    store.swap("swap", Some(b""), b"", 60 * MINUTE).await.unwrap();
    assert!(redis.expires_in("v:swap") > 3_500_000);
    store.count("count", 2, 60 * MINUTE).await.unwrap();
    assert!(redis.expires_in("c:count") <= 60_000);

    store.put("v", b"", Duration::MAX).await.unwrap();
    store.put("v", b"", Duration::from_nanos(1)).await.unwrap();
    store.put("put", b"", Duration::MAX).await.unwrap();
    assert!(store.swap("swap", Some(b""), b"", Duration::MAX).await.unwrap());
    assert!(matches!(store.count("long", 1, Duration::MAX).await.unwrap(), Slot::Taken { .. }));
    for key in ["v:put", "v:swap", "c:long"] {
        assert!(redis.expires_in(key) > 1_000_000_000_000, "{key}");
    }

    // A lifetime of zero has ended at once, also that of an older value.
    store.put("put", b"one", Duration::ZERO).await.unwrap();
    assert_eq!(store.get("put").await.unwrap(), None);
    assert!(store.swap("swap", Some(b""), b"one", Duration::ZERO).await.unwrap());
    assert!(store.swap("new", None, b"one", Duration::ZERO).await.unwrap());
    for _ in 0..2 {
        assert!(matches!(store.count("zero", 1, Duration::ZERO).await.unwrap(), Slot::Taken { .. }));
    }
    let keys = redis.keys();
    for gone in ["v:put", "v:swap", "v:new", "c:zero"] {
        assert!(!keys.iter().any(|key| key == gone), "{gone}");
    }
}

#[tokio::test]
async fn a_value_that_has_expired_counts_as_none() {
    let Some(mut redis) = Prefixed::new() else { return };
    let store = redis.store.clone();
    store.put("a", b"one", MINUTE).await.unwrap();
    redis.expire("v:a");
    assert_eq!(store.get("a").await.unwrap(), None);
    assert!(!store.swap("a", Some(b"one"), b"two", MINUTE).await.unwrap());
    assert!(store.swap("a", None, b"two", MINUTE).await.unwrap());
}

#[tokio::test]
async fn a_counter_is_full_until_its_window_ends() {
    let Some(mut redis) = Prefixed::new() else { return };
    let store = redis.store.clone();
    let first = take(&store, "c", 2).await;
    assert_eq!(take(&store, "c", 2).await, first);
    for _ in 0..3 {
        let Slot::Full { retry_after } = store.count("c", 2, MINUTE).await.unwrap() else {
            panic!("it is full")
        };
        assert!(retry_after <= MINUTE && retry_after > MINUTE / 2, "{retry_after:?}");
    }
    // A higher limit is in force at once; a refused attempt was not counted.
    take(&store, "c", 3).await;
    assert!(is_full(&store, "c", 3).await);
    redis.expire("c:c");
    let second = take(&store, "c", 2).await;
    assert!(second.get() > first.get());
    store.delete("c").await.unwrap();
    assert!(take(&store, "c", 1).await.get() > second.get());
}

#[tokio::test]
async fn a_slot_is_given_back_only_in_its_window() {
    let Some(mut redis) = Prefixed::new() else { return };
    let store = redis.store.clone();
    let first = take(&store, "c", 1).await;
    store.give_back("c", first).await.unwrap();
    assert_eq!(take(&store, "c", 1).await, first, "the window goes on");
    for other in [first.get() - 1, first.get() + 1, 0, u64::MAX] {
        store.give_back("c", Window::new(other)).await.unwrap();
        assert!(is_full(&store, "c", 1).await, "{other}");
    }
    redis.expire("c:c");
    store.give_back("c", first).await.unwrap();
    assert_eq!(redis.keys(), [""; 0], "nothing is created");
    let second = take(&store, "c", 1).await;
    store.give_back("c", first).await.unwrap();
    assert!(is_full(&store, "c", 1).await);
    assert!(redis.expires_in("c:c") > 0);
    for _ in 0..3 {
        store.give_back("c", second).await.unwrap();
    }
    take(&store, "c", 1).await;
    assert!(is_full(&store, "c", 1).await, "the count does not fall below 0");
}

#[tokio::test]
async fn a_value_and_a_counter_with_one_key_do_not_meet() {
    let Some(mut redis) = Prefixed::new() else { return };
    let store = redis.store.clone();
    let window = take(&store, "k", 1).await;
    assert_eq!(store.get("k").await.unwrap(), None);
    assert!(store.swap("k", None, b"value", MINUTE).await.unwrap());
    store.give_back("k", window).await.unwrap();
    assert_eq!(take(&store, "k", 1).await, window);
    assert_eq!(store.get("k").await.unwrap().as_deref(), Some(&b"value"[..]));
    assert_eq!(redis.keys(), ["c:k", "v:k"]);
    store.delete("k").await.unwrap();
    assert_eq!(redis.keys(), [""; 0], "delete removes both");
}
