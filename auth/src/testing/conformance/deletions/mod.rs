//! The cases of [`DeletionRepository`].

mod accounts;
mod endings;
mod leases;
mod together;

use super::failures::{Broken, Operation, ensure};
use super::fresh::{at, token};
use super::rows::{Field, fields_must_be};
use super::suite::{Suite, cases};
use crate::repository::{DeletionRecord, DeletionRepository};
use std::sync::Arc;

cases! {
    DeletionCases {
        accounts {
            a_scheduled_row_is_found: "`schedule` of an account without a row stores one, which is not leased, and returns `None`. `find` returns every field as it was stored.";
            an_unknown_account_has_no_row: "`find` of an account without a row is `Ok(None)`, not an error.";
            a_second_schedule_changes_nothing: "`schedule` of an account that has a row returns this row, leased or not, and changes nothing, whether the new `due_at` is earlier or later.";
            user_ids_are_compared_exactly: "User ids that differ in case, by an accent or by a space at the end are different accounts in each method. A column may need a binary collation.";
            realms_are_compared_exactly: "Realms that differ in case, by an accent or by a space at the end are different realms in each method.";
            each_realm_has_its_own_users: "A realm and a user id together name an account: no method takes one user id in two realms, or two user ids in one realm, for one account.";
            texts_are_stored_unchanged: "Realms and user ids are stored as they are, in any Unicode.";
            the_largest_values_have_room: "There is room for a realm of 200 bytes and a user id of 512 bytes, and both are compared to their last byte.";
            times_are_stored_to_the_millisecond: "Both times read back to the millisecond, up to the year 9999.";
        }
        endings {
            a_cancelled_row_is_gone: "`cancel` deletes the row of the account and no other, and returns whether there was one. The account can be scheduled again.";
            a_cancel_needs_the_due_time: "`cancel` returns false and changes nothing if the row of the account has another `due_at`.";
            a_leased_row_is_not_cancelled: "`cancel` returns false and changes nothing while `leased_until` is later than `now`, the time that the library passes. At `leased_until` the row is not leased.";
            a_finished_row_is_gone: "`finish` deletes the row of the account and no other, whether it is leased or not. The account can be scheduled again.";
            a_finish_needs_the_due_time: "`finish` changes nothing if the row of the account has another `due_at`.";
            finishing_nothing_is_no_error: "`finish` of an account without a row succeeds.";
        }
        leases {
            due_rows_are_leased: "`lease_due` leases the rows of the realm with a `due_at` up to and including `now`, the time that the library passes, and returns them with their new `leased_until`. Others stay as they are.";
            a_row_is_leased_again_after_its_lease: "`lease_due` does not return a row while its `leased_until` is later than `now`. From `leased_until` on it returns the row again.";
            at_most_so_many_rows_are_leased: "`lease_due` leases and returns at most `at_most` rows, and none if that is 0.";
            rows_that_are_due_first_come_first: "Of more rows than `at_most`, `lease_due` leases those that are due first, and returns them in this order.";
        }
        together {
            one_of_a_hundred_schedules_succeeds: "Of several calls of `schedule` for one account at the same time, exactly one returns `None`, and its row is stored. The others return this row.";
            a_hundred_leases_return_each_row_once: "No row is returned by two calls of `lease_due` at the same time, as with `UPDATE … WHERE leased_until IS NULL OR leased_until <= …`.";
            a_cancel_or_a_lease_succeeds: "Of several calls of `cancel` and `lease_due` for one row at the same time, exactly one succeeds: each checks and writes in one statement.";
            a_lease_is_of_the_row_that_was_due: "`lease_due` does not lease a row that has taken the place of the one that was due.";
            a_finished_row_stays_deleted: "A row that `finish` has deleted stays deleted, whatever `lease_due` does at the same time.";
            a_schedule_beside_a_finish_succeeds: "A `schedule` beside a `finish` returns the row that `finish` deletes, or stores a new one: it does not fail if the row is deleted before it is read.";
            a_finish_leaves_what_is_scheduled_after_it: "Of several calls of `schedule` and `finish` for one account at the same time, at most one `schedule` returns `None`, and its row stays: `finish` checks `due_at` and deletes in one statement.";
        }
    }
    /// Checks a [`DeletionRepository`].
    pub fn deletions<R: DeletionRepository>(repository: R) -> Suite<DeletionCases> {
        Suite::new(DeletionCases { repository: Arc::new(repository) }, cases())
    }
}

/// The cases for deletions, which check these.
#[derive(Clone)]
pub struct DeletionCases {
    repository: Arc<dyn DeletionRepository>,
}

/// The times of the suite's rows, in milliseconds since 1970: whole seconds, so that an adapter that rounds fails the case about times
/// alone, and far ahead, so that one that asks a clock of its own finds nothing that is due.
const DUE: u64 = 4_000_000_001_000;
const LEASED_UNTIL: u64 = 4_000_000_901_000;
const SECOND: u64 = 1_000;

/// The row of an account that nobody else has, in a realm of its own.
fn deletion() -> Result<DeletionRecord, Broken> {
    Ok(row(&format!("as {}", token()?), &format!("as {}", token()?), DUE))
}

/// A row that is not leased.
fn row(realm: &str, user_id: &str, due_at: u64) -> DeletionRecord {
    DeletionRecord::new(realm, user_id, at(due_at))
}

/// The row with another `due_at`.
fn due(row: &DeletionRecord, due_at: u64) -> DeletionRecord {
    DeletionRecord { due_at: at(due_at), ..row.clone() }
}

/// The row with this `leased_until`.
fn leased(row: &DeletionRecord, until: u64) -> DeletionRecord {
    DeletionRecord { leased_until: Some(at(until)), ..row.clone() }
}

impl DeletionCases {
    /// Schedules a new account.
    async fn create(&self) -> Result<DeletionRecord, Broken> {
        self.store(deletion()?).await
    }

    /// Schedules an account that has no row.
    async fn store(&self, row: DeletionRecord) -> Result<DeletionRecord, Broken> {
        let found = self.schedule(&row).await?;
        ensure!(found.is_none(), "`schedule` returned a row although the account has none");
        Ok(row)
    }

    async fn schedule(&self, row: &DeletionRecord) -> Result<Option<DeletionRecord>, Broken> {
        self.repository.schedule(&row.realm, &row.user_id, row.due_at).await.of("schedule")
    }

    async fn find(&self, row: &DeletionRecord) -> Result<Option<DeletionRecord>, Broken> {
        self.repository.find(&row.realm, &row.user_id).await.of("find")
    }

    async fn cancel(&self, row: &DeletionRecord, now: u64) -> Result<bool, Broken> {
        self.repository.cancel(&row.realm, &row.user_id, row.due_at, at(now)).await.of("cancel")
    }

    /// Leases rows that are due at [`DUE`], until [`LEASED_UNTIL`].
    async fn lease(&self, realm: &str, at_most: usize) -> Result<Vec<DeletionRecord>, Broken> {
        self.lease_at(realm, DUE, LEASED_UNTIL, at_most).await
    }

    async fn lease_at(
        &self,
        realm: &str,
        now: u64,
        until: u64,
        at_most: usize,
    ) -> Result<Vec<DeletionRecord>, Broken> {
        self.repository.lease_due(realm, at(now), at(until), at_most).await.of("lease_due")
    }

    async fn finish(&self, row: &DeletionRecord) -> Result<(), Broken> {
        self.repository.finish(&row.realm, &row.user_id, row.due_at).await.of("finish")
    }

    /// Fails unless the stored row is this one. `place` says where: `after …`.
    async fn must_be(&self, expected: &DeletionRecord, place: &str) -> Result<(), Broken> {
        let missing = || Broken::new(format!("{place}, `find` does not find the row"));
        must_be(&self.find(expected).await?.ok_or_else(missing)?, expected, place)
    }

    /// Fails if the account has a row.
    async fn must_be_none(&self, account: &DeletionRecord, place: &str) -> Result<(), Broken> {
        ensure!(self.find(account).await?.is_none(), "{place}, `find` finds a row");
        Ok(())
    }
}

/// Fails if a field of the row differs.
fn must_be(found: &DeletionRecord, expected: &DeletionRecord, place: &str) -> Result<(), Broken> {
    fields_must_be(fields(found), fields(expected), place)
}

/// Fails unless these are the rows that were returned, in this order.
fn are_returned(
    found: &[DeletionRecord],
    expected: &[DeletionRecord],
    operation: &str,
) -> Result<(), Broken> {
    ensure!(
        found.len() == expected.len(),
        "{operation} returned {} rows instead of {}",
        found.len(),
        expected.len()
    );
    let place = format!("in a row that {operation} returned");
    found.iter().zip(expected).try_for_each(|(found, expected)| must_be(found, expected, &place))
}

/// Every field, as a sentence shows it.
fn fields(row: &DeletionRecord) -> Vec<(&'static str, Field)> {
    vec![
        ("realm", Field::text(&row.realm)),
        ("user_id", Field::text(&row.user_id)),
        ("due_at", Field::time(row.due_at)),
        ("leased_until", Field::optional(row.leased_until.map(Field::time))),
    ]
}
