//! Attempts that are taken back.

use super::{LONG, StoreCases, key};
use crate::store::Window;
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_place_that_is_given_back_is_free(store: StoreCases) -> Checked {
    let (own, other) = (key()?, key()?);
    store.taken(&other, 2, LONG, "below its limit").await?;
    let mut life = store.time.lifetime();
    let window = store.taken(&own, 2, life.duration, "below its limit").await?;
    life.has_begun();
    let within_the_window = async {
        life.part(1, 2).await;
        store.taken(&own, 2, life.duration, "below its limit").await?;
        store.give_back(&own, window).await?;
        store.has_free(&own, 1, 2, "after a `give_back`").await?;
        store.has_free(&other, 1, 2, "after a `give_back` of another key").await
    };
    let checked = within_the_window.await;
    if life.is_running() {
        checked?;
        // The window has neither ended nor been extended.
        life.end().await;
        store.has_free(&own, 2, 2, "at the end of a window with a `give_back`").await?;
    }
    store.delete(&own).await?;
    store.delete(&other).await
}

pub(super) async fn giving_back_nothing_creates_nothing(store: StoreCases) -> Checked {
    let key = key()?;
    for number in [0, 1, u64::MAX] {
        store.give_back(&key, Window::new(number)).await?;
    }
    store.must_be(&key, None, "after a `give_back` for a key without a counter").await?;
    store.has_free(&key, 1, 1, "after a `give_back` for a key without a counter").await?;
    store.delete(&key).await?;
    // A counter that was deleted is none.
    let window = store.taken(&key, 1, LONG, "below its limit").await?;
    store.delete(&key).await?;
    store.give_back(&key, window).await?;
    store.has_free(&key, 1, 1, "after a `give_back` for a counter that was deleted").await?;
    store.delete(&key).await
}

pub(super) async fn a_count_never_falls_below_zero(store: StoreCases) -> Checked {
    let key = key()?;
    let window = store.taken(&key, 2, LONG, "below its limit").await?;
    for _ in 0..5 {
        store.give_back(&key, window).await?;
    }
    store.has_free(&key, 2, 2, "after one attempt and five calls of `give_back`").await?;
    store.delete(&key).await
}

pub(super) async fn two_windows_have_two_numbers(store: StoreCases) -> Checked {
    let key = key()?;
    let mut previous = None;
    for _ in 0..3 {
        let life = store.time.lifetime();
        let first = store.taken(&key, 2, life.duration, "below its limit").await?;
        let second = store.taken(&key, 2, life.duration, "below its limit").await?;
        ensure!(
            first == second || !life.is_running(),
            "two attempts in one window returned the windows {} and {}",
            first.get(),
            second.get()
        );
        ensure!(previous != Some(first), "a window and the next one have the same number, {}", first.get());
        previous = Some(second);
        life.end().await;
    }
    store.delete(&key).await
}

pub(super) async fn a_place_of_an_earlier_window_is_not_given_back(store: StoreCases) -> Checked {
    let key = key()?;
    let life = store.time.lifetime();
    let earlier = store.taken(&key, 2, life.duration, "below its limit").await?;
    store.taken(&key, 2, life.duration, "below its limit").await?;
    life.end().await;
    store.give_back(&key, earlier).await?;
    store.has_free(&key, 2, 2, "after a `give_back` for a window that has ended").await?;
    store.give_back(&key, earlier).await?;
    store.full(&key, 2, LONG, "after a `give_back` for the previous window").await?;
    store.delete(&key).await
}
