//! Several operations at the same time.

use super::{DUE, DeletionCases, SECOND, deletion, due, must_be, row};
use crate::repository::DeletionRecord;
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::race::{ROUNDS, TASKS, both, race};
use crate::testing::conformance::rows::{MEETINGS, user};
use crate::testing::conformance::suite::Checked;

/// The row with the `due_at` of the task with this number, later than [`DUE`].
fn of_task(row: &DeletionRecord, number: usize) -> DeletionRecord {
    due(row, DUE + SECOND * (1 + number as u64))
}

pub(super) async fn one_of_a_hundred_schedules_succeeds(deletions: DeletionCases) -> Checked {
    for _ in 0..ROUNDS {
        let account = deletion()?;
        let schedules = race(TASKS, |number| {
            let (deletions, own) = (deletions.clone(), of_task(&account, number));
            async move { Ok((deletions.schedule(&own).await?, own)) }
        });
        let (mut stored, mut found) = (Vec::new(), Vec::new());
        for (returned, own) in schedules.await? {
            match returned {
                None => stored.push(own),
                Some(row) => found.push(row),
            }
        }
        let number = stored.len();
        let Some(own) = stored.pop().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `schedule` for one account returned `None`"
            )));
        };
        deletions.must_be(&own, "after the `schedule` that returned `None`").await?;
        for row in &found {
            must_be(row, &own, "in the row that another `schedule` returned")?;
        }
        deletions.finish(&own).await?;
    }
    Ok(())
}

pub(super) async fn a_hundred_leases_return_each_row_once(deletions: DeletionCases) -> Checked {
    const ROWS: usize = 30;
    for _ in 0..ROUNDS {
        let realm = deletion()?.realm;
        let stored = race(ROWS, |number| {
            let (deletions, realm) = (deletions.clone(), realm.clone());
            async move { deletions.store(row(&realm, &user()?, DUE - SECOND * number as u64)).await }
        })
        .await?;
        let leases = race(TASKS, |number| {
            let (deletions, realm) = (deletions.clone(), realm.clone());
            async move { deletions.lease(&realm, 1 + number % 3).await }
        });
        let mut leased: Vec<_> = leases.await?.into_iter().flatten().collect();
        let number = leased.len();
        leased.sort_by(|one, another| one.user_id.cmp(&another.user_id));
        leased.dedup_by(|one, another| one.user_id == another.user_id);
        ensure!(
            leased.len() == number,
            "{TASKS} concurrent calls of `lease_due` returned {number} rows, of which only {} differ",
            leased.len()
        );
        // A call that has lost its rows to others can have left some.
        let rest = deletions.lease(&realm, ROWS).await?;
        ensure!(
            rest.len() + number == ROWS,
            "after {TASKS} concurrent calls of `lease_due` and one more, {} of {ROWS} rows were returned",
            rest.len() + number
        );
        for row in &stored {
            deletions.finish(row).await?;
        }
    }
    Ok(())
}

pub(super) async fn a_cancel_or_a_lease_succeeds(deletions: DeletionCases) -> Checked {
    for _ in 0..ROUNDS {
        let own = deletions.create().await?;
        let calls = race(TASKS, |number| {
            let (deletions, own) = (deletions.clone(), own.clone());
            async move {
                // One in ten cancels, so that a lease succeeds in some rounds, though it takes more statements.
                if number % 10 == 5 {
                    return Ok((deletions.cancel(&own, DUE).await?, None));
                }
                let leased = deletions.lease(&own.realm, 1).await?.pop();
                Ok((leased.is_some(), leased))
            }
        });
        let mut succeeded: Vec<_> = calls.await?.into_iter().filter(|(succeeded, _)| *succeeded).collect();
        let number = succeeded.len();
        let Some((_, leased)) = succeeded.pop().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `cancel` and `lease_due` for one row succeeded"
            )));
        };
        match leased {
            Some(leased) => deletions.must_be(&leased, "after the `lease_due` that returned the row").await?,
            None => deletions.must_be_none(&own, "after the `cancel` that returned true").await?,
        }
        deletions.finish(&own).await?;
    }
    Ok(())
}

pub(super) async fn a_lease_is_of_the_row_that_was_due(deletions: DeletionCases) -> Checked {
    for _ in 0..MEETINGS {
        let own = deletions.create().await?;
        let later = due(&own, DUE + SECOND);
        let (leasing, scheduling) = (deletions.clone(), deletions.clone());
        let (realm, before, new) = (own.realm.clone(), own.clone(), later.clone());
        let lease = async move { leasing.lease(&realm, 1).await };
        let replace = async move {
            let cancelled = scheduling.cancel(&before, DUE).await?;
            scheduling.schedule(&new).await?;
            Ok::<_, Broken>(cancelled)
        };
        let (leased, cancelled) = both(lease, replace).await?;
        ensure!(
            cancelled == leased.is_empty(),
            "of a `cancel` and a `lease_due` for one row at the same time, not exactly one succeeded"
        );
        let stored = leased.first().unwrap_or(&later);
        deletions.must_be(stored, "after a `lease_due` beside a `cancel` and a later `schedule`").await?;
        deletions.finish(stored).await?;
    }
    Ok(())
}

pub(super) async fn a_finished_row_stays_deleted(deletions: DeletionCases) -> Checked {
    for _ in 0..MEETINGS {
        let own = deletions.create().await?;
        let (leasing, finishing, realm, gone) =
            (deletions.clone(), deletions.clone(), own.realm.clone(), own.clone());
        let lease = async move { leasing.lease(&realm, 1).await };
        both(lease, async move { finishing.finish(&gone).await }).await?;
        deletions.must_be_none(&own, "after a `finish` and a `lease_due` at the same time").await?;
    }
    Ok(())
}

pub(super) async fn a_schedule_beside_a_finish_succeeds(deletions: DeletionCases) -> Checked {
    for _ in 0..MEETINGS {
        let own = deletions.create().await?;
        let later = due(&own, DUE + SECOND);
        let (scheduling, finishing, new, gone) =
            (deletions.clone(), deletions.clone(), later.clone(), own.clone());
        let schedule = async move { scheduling.schedule(&new).await };
        let (found, ()) = both(schedule, async move { finishing.finish(&gone).await }).await?;
        match found {
            Some(found) => {
                must_be(&found, &own, "in the row that a `schedule` beside a `finish` returned")?;
                deletions
                    .must_be_none(&own, "after a `finish` and a `schedule` that returned its row")
                    .await?;
            }
            None => {
                deletions.must_be(&later, "after a `finish` and a `schedule` that returned `None`").await?;
            }
        }
        deletions.finish(&later).await?;
    }
    Ok(())
}

pub(super) async fn a_finish_leaves_what_is_scheduled_after_it(deletions: DeletionCases) -> Checked {
    let place = "after concurrent calls of `finish` and `schedule`";
    for _ in 0..ROUNDS {
        let own = deletions.create().await?;
        let calls = race(TASKS, |number| {
            let (deletions, own, new) = (deletions.clone(), own.clone(), of_task(&own, number));
            async move {
                if number.is_multiple_of(2) {
                    return deletions.finish(&own).await.map(|()| None);
                }
                let returned = deletions.schedule(&new).await?;
                Ok(returned.is_none().then_some(new))
            }
        });
        let mut stored: Vec<_> = calls.await?.into_iter().flatten().collect();
        let number = stored.len();
        ensure!(number <= 1, "{place}, {number} calls of `schedule` have returned `None`");
        match stored.pop() {
            Some(new) => {
                deletions.must_be(&new, place).await?;
                deletions.finish(&new).await?;
            }
            None => deletions.must_be_none(&own, place).await?,
        }
    }
    Ok(())
}
