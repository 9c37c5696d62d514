//! Rows that are deleted, and that stay.

use super::{DUE, DeletionCases, LEASED_UNTIL, SECOND, due, leased, row};
use crate::repository::DeletionRecord;
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::rows::user;
use crate::testing::conformance::suite::Checked;

/// A new account, and another one in its realm.
async fn two(deletions: &DeletionCases) -> Result<[DeletionRecord; 2], Broken> {
    let own = deletions.create().await?;
    let other = deletions.store(row(&own.realm, &user()?, DUE)).await?;
    Ok([own, other])
}

/// Schedules an account again whose row was deleted, and finishes the new row.
async fn again(deletions: &DeletionCases, gone: &DeletionRecord) -> Checked {
    let again = deletions.store(row(&gone.realm, &gone.user_id, DUE + SECOND)).await?;
    deletions.must_be(&again, "after another `schedule`").await?;
    deletions.finish(&again).await?;
    deletions.must_be_none(&again, "after `finish`").await
}

pub(super) async fn a_cancelled_row_is_gone(deletions: DeletionCases) -> Checked {
    let [own, other] = two(&deletions).await?;
    ensure!(deletions.cancel(&own, DUE - SECOND).await?, "`cancel` of a row returned false");
    deletions.must_be_none(&own, "after a `cancel`").await?;
    ensure!(!deletions.cancel(&own, DUE - SECOND).await?, "a second `cancel` of a row returned true");
    deletions.must_be(&other, "after a `cancel` of another row").await?;
    again(&deletions, &own).await?;
    // Also of a row that is due.
    ensure!(deletions.cancel(&other, DUE + SECOND).await?, "`cancel` of a row that is due returned false");
    deletions.must_be_none(&other, "after a `cancel`").await
}

pub(super) async fn a_cancel_needs_the_due_time(deletions: DeletionCases) -> Checked {
    let own = deletions.create().await?;
    for due_at in [DUE - 1, DUE + 1, DUE + SECOND] {
        let cancelled = deletions.cancel(&due(&own, due_at), DUE).await?;
        ensure!(!cancelled, "`cancel` with another `due_at` than that of the row returned true");
        deletions.must_be(&own, "after a `cancel` with another `due_at`").await?;
    }
    deletions.finish(&own).await
}

pub(super) async fn a_leased_row_is_not_cancelled(deletions: DeletionCases) -> Checked {
    let own = deletions.create().await?;
    deletions.lease(&own.realm, 1).await?;
    for now in [DUE, LEASED_UNTIL - 1] {
        ensure!(
            !deletions.cancel(&own, now).await?,
            "`cancel` of a row that is leased at `now` returned true"
        );
        deletions.must_be(&leased(&own, LEASED_UNTIL), "after a `cancel` that returned false").await?;
    }
    let cancelled = deletions.cancel(&own, LEASED_UNTIL).await?;
    ensure!(cancelled, "`cancel` of a row whose `leased_until` is not later than `now` returned false");
    deletions.must_be_none(&own, "after a `cancel`").await
}

pub(super) async fn a_finished_row_is_gone(deletions: DeletionCases) -> Checked {
    let [own, other] = two(&deletions).await?;
    deletions.finish(&own).await?;
    deletions.must_be_none(&own, "after a `finish`").await?;
    deletions.must_be(&other, "after a `finish` of another row").await?;
    again(&deletions, &own).await?;
    deletions.lease(&other.realm, 1).await?;
    deletions.finish(&other).await?;
    deletions.must_be_none(&other, "after a `finish` of a row that is leased").await?;
    again(&deletions, &other).await
}

pub(super) async fn a_finish_needs_the_due_time(deletions: DeletionCases) -> Checked {
    let own = deletions.create().await?;
    for due_at in [DUE - 1, DUE + 1, DUE + SECOND] {
        deletions.finish(&due(&own, due_at)).await?;
        deletions.must_be(&own, "after a `finish` with another `due_at`").await?;
    }
    deletions.finish(&own).await
}

pub(super) async fn finishing_nothing_is_no_error(deletions: DeletionCases) -> Checked {
    let own = deletions.create().await?;
    for _ in 0..2 {
        deletions.finish(&own).await?;
        deletions.must_be_none(&own, "after a `finish`").await?;
    }
    Ok(())
}
