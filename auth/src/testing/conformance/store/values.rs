//! Values without regard to time.

use super::{LONG, StoreCases, key};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_value_is_stored_and_replaced(store: StoreCases) -> Checked {
    let (own, other) = (key()?, key()?);
    store.must_be(&own, None, "before the first `put`").await?;
    store.put(&own, b"one", LONG).await?;
    store.put(&other, b"another", LONG).await?;
    for value in [&b"two"[..], b"two", b"three"] {
        store.put(&own, value, LONG).await?;
        store.must_be(&own, Some(value), "after a `put`").await?;
    }
    store.must_be(&other, Some(b"another"), "after a `put` of another key").await?;
    store.delete(&own).await?;
    store.delete(&other).await
}

/// Values that a text column, a driver or a format can spoil.
fn bytes() -> Vec<Vec<u8>> {
    vec![
        vec![],
        vec![0],
        b"one\0two\0".to_vec(),
        (0..=255).collect(),
        vec![0xff, 0xfe, 0x80],
        b" one \r\n".to_vec(),
        b"-1".to_vec(),
        vec![b'v'; 4 << 10],
        vec![0; 4 << 10],
    ]
}

pub(super) async fn any_bytes_are_stored_unchanged(store: StoreCases) -> Checked {
    let key = key()?;
    for value in bytes() {
        store.put(&key, &value, LONG).await?;
        store.must_be(&key, Some(&value), "after a `put`").await?;
        ensure!(
            store.swap(&key, Some(&value), b"one", LONG).await?,
            "`swap` returned false although the value was the expected one: {}",
            super::value(Some(&value))
        );
        ensure!(
            store.swap(&key, Some(b"one"), &value, LONG).await?,
            "`swap` returned false although the value was the expected one: \"one\""
        );
        store.must_be(&key, Some(&value), "after a `swap`").await?;
        store.delete(&key).await?;
        ensure!(
            store.swap(&key, None, &value, LONG).await?,
            "`swap` of a key without a value returned false"
        );
        store.must_be(&key, Some(&value), "after a `swap`").await?;
    }
    store.delete(&key).await
}

pub(super) async fn keys_are_compared_exactly(store: StoreCases) -> Checked {
    // As long as the library's longest, of a prefix and 43 characters.
    let own = format!("{}:{}As-_", key()?, "x".repeat(50));
    store.put(&own, b"own", LONG).await?;
    for other in [
        own.to_uppercase(),
        own.to_lowercase(),
        format!("{own} "),
        own.replace('_', "%"),
        own.replace('-', "_"),
    ] {
        let shown = format!("of {other:?}, with a value of {own:?}");
        store.must_be(&other, None, &format!("before a `put` {shown}")).await?;
        ensure!(
            !store.swap(&other, Some(b"own"), b"stolen", LONG).await?,
            "a `swap` {shown}, took the value of the other key"
        );
        store.put(&other, b"other", LONG).await?;
        store.must_be(&own, Some(b"own"), &format!("after a `put` {shown}")).await?;
        store.delete(&other).await?;
        store.must_be(&own, Some(b"own"), &format!("after a `delete` {shown}")).await?;
    }
    store.delete(&own).await?;
    for key in [&own, &own.to_uppercase()] {
        store.taken(key, 1, LONG, "with a full counter whose key differs only in case").await?;
    }
    store.delete(&own).await?;
    store.delete(&own.to_uppercase()).await
}

pub(super) async fn a_swap_of_nothing_requires_that_there_is_no_value(store: StoreCases) -> Checked {
    for value in [&b"one"[..], b""] {
        let key = key()?;
        ensure!(
            store.swap(&key, None, value, LONG).await?,
            "`swap` that expects `None` returned false without a value"
        );
        store.must_be(&key, Some(value), "after a `swap` that expected `None`").await?;
        for new in [&b"two"[..], value] {
            ensure!(
                !store.swap(&key, None, new, LONG).await?,
                "`swap` that expects `None` returned true over the value {}",
                super::value(Some(value))
            );
            store.must_be(&key, Some(value), "after a `swap` that returned false").await?;
        }
        store.delete(&key).await?;
        ensure!(
            store.swap(&key, None, b"two", LONG).await?,
            "`swap` that expects `None` returned false after a `delete`"
        );
        store.delete(&key).await?;
    }
    Ok(())
}

pub(super) async fn a_swap_of_a_value_requires_this_value(store: StoreCases) -> Checked {
    let key = key()?;
    for expected in [&b""[..], b"one"] {
        ensure!(
            !store.swap(&key, Some(expected), b"two", LONG).await?,
            "`swap` that expects the value {} returned true without a value",
            super::value(Some(expected))
        );
        store.must_be(&key, None, "after a `swap` that returned false").await?;
    }
    store.put(&key, b"Value", LONG).await?;
    for other in [&b"value"[..], b"Value ", b"Value\0", b"Val", b"", b"V\xc3\xa4lue", b"%", b"0"] {
        ensure!(
            !store.swap(&key, Some(other), b"new", LONG).await?,
            "`swap` that expects the value {} returned true over the value \"Value\"",
            super::value(Some(other))
        );
        store.must_be(&key, Some(b"Value"), "after a `swap` that returned false").await?;
    }
    ensure!(
        store.swap(&key, Some(b"Value"), b"new", LONG).await?,
        "`swap` returned false although the value was the expected one"
    );
    store.must_be(&key, Some(b"new"), "after a `swap`").await?;
    ensure!(
        !store.swap(&key, Some(b"Value"), b"newer", LONG).await?,
        "`swap` returned true for a value that had been replaced"
    );
    store.delete(&key).await
}

pub(super) async fn a_swap_to_the_same_value_succeeds(store: StoreCases) -> Checked {
    let key = key()?;
    store.put(&key, b"one", LONG).await?;
    for _ in 0..2 {
        ensure!(
            store.swap(&key, Some(b"one"), b"one", LONG).await?,
            "`swap` of a value to the same value and the same lifetime returned false"
        );
    }
    store.must_be(&key, Some(b"one"), "after a `swap` to the same value").await?;
    store.delete(&key).await
}

pub(super) async fn a_deleted_value_is_gone(store: StoreCases) -> Checked {
    let (own, other) = (key()?, key()?);
    store.delete(&own).await?;
    store.put(&own, b"one", LONG).await?;
    store.put(&other, b"another", LONG).await?;
    store.delete(&own).await?;
    store.must_be(&own, None, "after a `delete`").await?;
    store.delete(&own).await?;
    store.must_be(&other, Some(b"another"), "after a `delete` of another key").await?;
    store.delete(&other).await
}
