//! Values that end.

use super::{LONG, StoreCases, key};
use crate::testing::conformance::failures::{Operation, ensure};
use crate::testing::conformance::suite::Checked;
use std::time::Duration;

pub(super) async fn a_value_is_absent_at_the_end_of_its_lifetime(store: StoreCases) -> Checked {
    let (put, swapped) = (key()?, key()?);
    let life = store.time.lifetime();
    store.put(&put, b"one", life.duration).await?;
    store.swap(&swapped, None, b"one", life.duration).await?;
    life.almost().await;
    for (key, operation) in [(&put, "put"), (&swapped, "swap")] {
        let found = store.get(key).await?;
        ensure!(
            found.is_some() || !life.is_running(),
            "`get` returned `None` before the lifetime of a value of `{operation}` had ended"
        );
    }
    life.exact_end().await;
    store.must_be(&put, None, "at the end of the lifetime of a value of `put`").await?;
    store.must_be(&swapped, None, "at the end of the lifetime of a value of `swap`").await
}

pub(super) async fn an_expired_value_is_none_for_a_swap(store: StoreCases) -> Checked {
    let key = key()?;
    let life = store.time.lifetime();
    store.put(&key, b"one", life.duration).await?;
    life.end().await;
    ensure!(
        !store.swap(&key, Some(b"one"), b"two", LONG).await?,
        "`swap` that expects an expired value returned true"
    );
    store.must_be(&key, None, "after a `swap` that returned false").await?;
    ensure!(
        store.swap(&key, None, b"two", LONG).await?,
        "`swap` that expects `None` returned false over an expired value"
    );
    store.must_be(&key, Some(b"two"), "after a `swap` over an expired value").await?;
    ensure!(
        !store.swap(&key, None, b"three", LONG).await?,
        "a second `swap` that expects `None` returned true"
    );
    store.delete(&key).await
}

pub(super) async fn a_new_value_has_a_new_lifetime(store: StoreCases) -> Checked {
    let [longer, swapped, shorter] = [key()?, key()?, key()?];
    let life = store.time.lifetime();
    for key in [&longer, &swapped] {
        store.put(key, b"one", life.duration).await?;
    }
    store.put(&shorter, b"one", LONG).await?;
    store.put(&longer, b"two", LONG).await?;
    // On a slow machine the first lifetime can have ended by now.
    let was_swapped = store.swap(&swapped, Some(b"one"), b"two", LONG).await?;
    store.put(&shorter, b"two", life.duration).await?;
    life.end().await;
    store.must_be(&longer, Some(b"two"), "after a `put` with a longer lifetime over a shorter one").await?;
    if was_swapped {
        store
            .must_be(&swapped, Some(b"two"), "after a `swap` with a longer lifetime over a shorter one")
            .await?;
    }
    store
        .must_be(&shorter, None, "after a `put` with a shorter lifetime over a longer one, which ended")
        .await?;
    store.delete(&longer).await?;
    store.delete(&swapped).await
}

pub(super) async fn a_lifetime_of_zero_has_ended(store: StoreCases) -> Checked {
    let key = key()?;
    store.put(&key, b"one", Duration::ZERO).await?;
    store.must_be(&key, None, "after a `put` with the lifetime zero").await?;
    ensure!(
        store.swap(&key, None, b"one", Duration::ZERO).await?,
        "`swap` with the lifetime zero returned false"
    );
    store.must_be(&key, None, "after a `swap` with the lifetime zero").await?;
    store.put(&key, b"one", LONG).await?;
    ensure!(
        store.swap(&key, Some(b"one"), b"two", Duration::ZERO).await?,
        "`swap` with the lifetime zero returned false over the expected value"
    );
    store.must_be(&key, None, "after a `swap` with the lifetime zero over a value").await?;
    store.put(&key, b"one", LONG).await?;
    store.put(&key, b"two", Duration::ZERO).await?;
    store.must_be(&key, None, "after a `put` with the lifetime zero over a value").await?;
    // The smallest lifetimes are not errors either.
    store.put(&key, b"one", Duration::from_nanos(1)).await
}

pub(super) async fn a_long_lifetime_does_not_end(store: StoreCases) -> Checked {
    const DAY: Duration = Duration::from_secs(86_400);
    for long in [400 * DAY, Duration::MAX] {
        let [put, swapped, counter] = [key()?, key()?, key()?];
        store.put(&put, b"one", long).await?;
        store.swap(&swapped, None, b"one", long).await?;
        store.taken(&counter, 1, long, &format!("with a window of {long:?}")).await?;
        store.time.advance(399 * DAY);
        store.must_be(&put, Some(b"one"), &format!("after a `put` with the lifetime {long:?}")).await?;
        store.must_be(&swapped, Some(b"one"), &format!("after a `swap` with the lifetime {long:?}")).await?;
        store.full(&counter, 1, long, &format!("in a window of {long:?}")).await?;
        for key in [put, swapped, counter] {
            store.delete(&key).await?;
        }
    }
    Ok(())
}

pub(super) async fn delete_expired_deletes_nothing_live(store: StoreCases) -> Checked {
    let [live, counter] = [key()?, key()?];
    let expired = [key()?, key()?, key()?];
    let life = store.time.lifetime();
    for key in &expired {
        store.put(key, b"one", life.duration).await?;
    }
    store.put(&live, b"one", LONG).await?;
    store.taken(&counter, 1, LONG, "below its limit").await?;
    life.end().await;
    for at_most in [0, 1, 1_000] {
        let deleted = store.store.delete_expired(at_most).await.of("delete_expired")?;
        ensure!(
            deleted <= at_most.into(),
            "`delete_expired` of at most {at_most} entries returned {deleted}"
        );
        store.must_be(&live, Some(b"one"), "after a `delete_expired`, before the end of the value").await?;
        store.full(&counter, 1, LONG, "after a `delete_expired`, before the end of the window").await?;
    }
    for key in &expired {
        store.must_be(key, None, "after the end of the value").await?;
    }
    store.delete(&live).await?;
    store.delete(&counter).await
}
