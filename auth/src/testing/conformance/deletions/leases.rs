//! Which rows are leased, and for how long.

use super::{DUE, DeletionCases, LEASED_UNTIL, SECOND, are_returned, deletion, leased, row};
use crate::repository::DeletionRecord;
use crate::testing::conformance::failures::Broken;
use crate::testing::conformance::rows::user;
use crate::testing::conformance::suite::Checked;
use std::slice;

/// Schedules an account of a new realm for each of these times. Returns the realm, too.
async fn in_one_realm(
    deletions: &DeletionCases,
    times: &[u64],
) -> Result<(String, Vec<DeletionRecord>), Broken> {
    let realm = deletion()?.realm;
    let mut stored = Vec::new();
    for due_at in times {
        stored.push(deletions.store(row(&realm, &user()?, *due_at)).await?);
    }
    Ok((realm, stored))
}

/// The rows with the lease that [`DeletionCases::lease`] gives them.
fn all_leased(rows: &[DeletionRecord]) -> Vec<DeletionRecord> {
    rows.iter().map(|row| leased(row, LEASED_UNTIL)).collect()
}

async fn finish_all(deletions: &DeletionCases, rows: &[DeletionRecord]) -> Checked {
    for row in rows {
        deletions.finish(row).await?;
    }
    Ok(())
}

pub(super) async fn due_rows_are_leased(deletions: DeletionCases) -> Checked {
    let (realm, own) = in_one_realm(&deletions, &[DUE - SECOND, DUE, DUE + 1, DUE + SECOND]).await?;
    let other = deletions.create().await?;
    let (now_due, later) = own.split_at(2);
    let expected = all_leased(now_due);
    are_returned(&deletions.lease(&realm, 9).await?, &expected, "`lease_due`")?;
    for row in &expected {
        deletions.must_be(row, "after `lease_due`").await?;
    }
    for row in later {
        deletions.must_be(row, "after a `lease_due` before it is due").await?;
    }
    deletions.must_be(&other, "after a `lease_due` of another realm").await?;
    finish_all(&deletions, &own).await?;
    deletions.finish(&other).await
}

pub(super) async fn a_row_is_leased_again_after_its_lease(deletions: DeletionCases) -> Checked {
    let own = deletions.create().await?;
    deletions.lease(&own.realm, 9).await?;
    for now in [DUE, LEASED_UNTIL - 1] {
        let found = deletions.lease_at(&own.realm, now, LEASED_UNTIL + SECOND, 9).await?;
        are_returned(&found, &[], "`lease_due` with a row that is leased at `now`")?;
        deletions.must_be(&leased(&own, LEASED_UNTIL), "after a `lease_due` during its lease").await?;
    }
    for now in [LEASED_UNTIL, LEASED_UNTIL + 2 * SECOND] {
        let found = deletions.lease_at(&own.realm, now, now + SECOND, 9).await?;
        let again = leased(&own, now + SECOND);
        are_returned(&found, slice::from_ref(&again), "`lease_due` after a lease")?;
        deletions.must_be(&again, "after a second `lease_due`").await?;
    }
    deletions.finish(&own).await
}

pub(super) async fn at_most_so_many_rows_are_leased(deletions: DeletionCases) -> Checked {
    let (realm, own) =
        in_one_realm(&deletions, &[DUE - 5 * SECOND, DUE - 4 * SECOND, DUE - SECOND, DUE]).await?;
    are_returned(&deletions.lease(&realm, 0).await?, &[], "`lease_due` of at most 0 rows")?;
    let (first, rest) = own.split_at(1);
    are_returned(&deletions.lease(&realm, 1).await?, &all_leased(first), "`lease_due` of at most 1 row")?;
    for row in rest {
        deletions.must_be(row, "after a `lease_due` of at most 1 row").await?;
    }
    // The row that is leased does not count.
    let all = deletions.lease(&realm, usize::MAX).await?;
    are_returned(&all, &all_leased(rest), "`lease_due` of any number of rows")?;
    finish_all(&deletions, &own).await
}

pub(super) async fn rows_that_are_due_first_come_first(deletions: DeletionCases) -> Checked {
    let times = [3, 1, 4, 0, 2].map(|seconds| DUE - 10 * SECOND + seconds * SECOND);
    let (realm, mut own) = in_one_realm(&deletions, &times).await?;
    own.sort_by_key(|row| row.due_at);
    let (first, rest) = own.split_at(2);
    are_returned(&deletions.lease(&realm, 2).await?, &all_leased(first), "`lease_due` of at most 2 rows")?;
    are_returned(&deletions.lease(&realm, 9).await?, &all_leased(rest), "a second `lease_due`")?;
    finish_all(&deletions, &own).await
}
