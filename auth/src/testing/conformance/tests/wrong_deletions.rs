//! Repositories of deletions with one mistake each.

use super::{Checks, Gap, WAITS, wait};
use crate::repository::{DeletionRecord, DeletionRepository, RepositoryError};
use crate::testing::{MemoryDeletions, conformance};
use async_trait::async_trait;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::yield_now;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// `fetch_one`, whose error for no row is passed on.
    NoneIsAnError,
    /// `ON CONFLICT … DO UPDATE`.
    ScheduleReplaces,
    /// `schedule` returns what it was given.
    ReturnsTheNewRow,
    /// `leased_until NOT NULL DEFAULT 0`.
    NeverNull,
    /// User ids in a collation that ignores case.
    UserIdsIgnoreCase,
    /// Realms in a collation that ignores spaces at the end.
    RealmsArePadded,
    /// One column for the realm and the user id, with a space between them.
    JoinedKeys,
    /// `PRIMARY KEY (user_id)`.
    UsersAlone,
    /// `varchar(255)`, from which a database without strict mode cuts off what is too long.
    ShortUserIds,
    /// MySQL's `utf8`, which has no characters of four bytes.
    ThreeBytesACharacter,
    /// Times in whole seconds.
    WholeSeconds,
    /// A `TIMESTAMP`, which ends in the year 2106 or before.
    EndsIn2106,
    /// `cancel` always returns true.
    CancelIsTrue,
    /// `cancel` without `due_at`.
    CancelsAnyTime,
    /// `cancel` without `leased_until`.
    CancelsLeased,
    /// `cancel` WHERE leased_until IS NULL.
    CancelsNothingOnceLeased,
    /// `finish` WHERE leased_until IS NULL.
    FinishesNothingLeased,
    /// `finish` without `due_at`.
    FinishesAnyTime,
    /// Deleting nothing is an error, as with a check of the number of rows.
    FinishNeedsARow,
    /// `WHERE due_at < ?`.
    DueTooLate,
    /// The clock of the database.
    OwnClock,
    /// `lease_due` without the realm.
    LeasesEveryRealm,
    /// The rows as they were before the update.
    ReturnsTheOldLease,
    /// `WHERE leased_until < ?`.
    LeasesEndLate,
    /// `WHERE leased_until IS NULL`.
    LeasesOnce,
    /// `at_most` limits what is returned, and not what is leased.
    LeasesAll,
    /// No `ORDER BY`.
    AnyOrder,
    /// `SELECT`, and `INSERT` if there is no row, without a unique index.
    CheckThenInsert,
    /// `INSERT … ON CONFLICT DO NOTHING`, and `fetch_one` if there was a row.
    ReadsWhatIsGone,
    /// Rows are selected, and then leased by their key.
    CheckThenLease,
    /// A row is read, and then deleted by its key.
    CheckThenCancel,
    /// `finish` reads a row, and then deletes it by its key.
    CheckThenFinish,
    /// Rows are selected, and then leased without `due_at`.
    LeasesWhatIsThere,
    /// Rows are read, changed and written back.
    LeaseWritesTheRow,
}
use Mistake::{
    AnyOrder, CancelIsTrue, CancelsAnyTime, CancelsLeased, CancelsNothingOnceLeased, CheckThenCancel,
    CheckThenFinish, CheckThenInsert, CheckThenLease, DueTooLate, EndsIn2106, FinishNeedsARow,
    FinishesAnyTime, FinishesNothingLeased, JoinedKeys, LeaseWritesTheRow, LeasesAll, LeasesEndLate,
    LeasesEveryRealm, LeasesOnce, LeasesWhatIsThere, NeverNull, NoneIsAnError, OwnClock, ReadsWhatIsGone,
    RealmsArePadded, ReturnsTheNewRow, ReturnsTheOldLease, ScheduleReplaces, ShortUserIds,
    ThreeBytesACharacter, UserIdsIgnoreCase, UsersAlone, WholeSeconds,
};

#[derive(Clone)]
struct Deletions {
    mistake: Mistake,
    rows: Arc<Mutex<Vec<DeletionRecord>>>,
    gap: Gap,
    calls: Arc<AtomicUsize>,
}

impl Deletions {
    fn new(mistake: Mistake) -> Self {
        Self { mistake, rows: Arc::default(), gap: Gap::default(), calls: Arc::default() }
    }

    fn rows(&self) -> MutexGuard<'_, Vec<DeletionRecord>> {
        self.rows.lock().unwrap()
    }

    /// What of a realm and a user id this repository compares.
    fn key(&self, realm: &str, user_id: &str) -> (String, String) {
        match self.mistake {
            UserIdsIgnoreCase => (realm.to_owned(), user_id.to_lowercase()),
            RealmsArePadded => (realm.trim_end().to_owned(), user_id.to_owned()),
            JoinedKeys => (format!("{realm} {user_id}"), String::new()),
            UsersAlone => (String::new(), user_id.to_owned()),
            _ => (realm.to_owned(), user_id.to_owned()),
        }
    }

    /// The row as this repository stores it.
    fn stored(&self, realm: &str, user_id: &str, due_at: SystemTime) -> DeletionRecord {
        let mut row = DeletionRecord::new(realm, user_id, self.time(due_at));
        match self.mistake {
            NeverNull => row.leased_until = Some(UNIX_EPOCH),
            ShortUserIds => row.user_id = user_id.chars().take(255).collect(),
            ThreeBytesACharacter => row.user_id = user_id.replace(|c: char| c.len_utf8() > 3, "?"),
            _ => {}
        }
        row
    }

    fn time(&self, time: SystemTime) -> SystemTime {
        let since = time.duration_since(UNIX_EPOCH).unwrap();
        match self.mistake {
            WholeSeconds => UNIX_EPOCH + Duration::from_secs(since.as_secs()),
            EndsIn2106 => UNIX_EPOCH + since.min(Duration::from_secs(u32::MAX.into())),
            _ => time,
        }
    }

    fn now(&self, now: SystemTime) -> SystemTime {
        if self.mistake == OwnClock { SystemTime::now() } else { now }
    }

    fn get(&self, realm: &str, user_id: &str) -> Option<DeletionRecord> {
        let key = self.key(realm, user_id);
        self.rows().iter().find(|row| self.key(&row.realm, &row.user_id) == key).cloned()
    }

    /// Deletes the row of an account if the condition holds, and returns whether it did.
    fn delete_if(&self, realm: &str, user_id: &str, is_gone: impl Fn(&DeletionRecord) -> bool) -> bool {
        let key = self.key(realm, user_id);
        let is_gone = |row: &mut DeletionRecord| self.key(&row.realm, &row.user_id) == key && is_gone(row);
        self.rows().extract_if(.., is_gone).count() > 0
    }

    /// Inserts a row unless the account has one.
    fn insert(&self, row: DeletionRecord) -> bool {
        let key = self.key(&row.realm, &row.user_id);
        let mut rows = self.rows();
        let is_new = !rows.iter().any(|other| self.key(&other.realm, &other.user_id) == key);
        if is_new {
            rows.push(row);
        }
        is_new
    }

    /// Lets other tasks change this row, and returns when one has, or after [`WAITS`].
    async fn others_write(&self, row: &DeletionRecord) {
        for _ in 0..WAITS {
            if self.get(&row.realm, &row.user_id).as_ref() != Some(row) {
                break;
            }
            wait().await;
        }
    }

    /// Lets other tasks run, in each call for another time.
    async fn pause(&self) {
        for _ in 0..=self.calls.fetch_add(1, Ordering::SeqCst) % 20 {
            yield_now().await;
        }
    }

    fn is_leased(&self, row: &DeletionRecord, now: SystemTime) -> bool {
        match self.mistake {
            LeasesEndLate => row.leased_until.is_some_and(|until| until >= now),
            LeasesOnce => row.leased_until.is_some(),
            _ => row.is_leased(now),
        }
    }

    /// The rows that `lease_due` selects.
    fn due(&self, realm: &str, now: SystemTime, at_most: usize) -> Vec<DeletionRecord> {
        let now = self.now(now);
        let is_due = |row: &&DeletionRecord| {
            (row.due_at < now || row.due_at == now && self.mistake != DueTooLate)
                && (self.key(&row.realm, "") == self.key(realm, "") || self.mistake == LeasesEveryRealm)
                && !self.is_leased(row, now)
        };
        let mut due: Vec<_> = self.rows().iter().filter(is_due).cloned().collect();
        if self.mistake != AnyOrder {
            due.sort_by_key(|row| row.due_at);
        }
        if self.mistake != LeasesAll {
            due.truncate(at_most);
        }
        due
    }

    /// Leases a row that was selected. Returns whether there was one.
    async fn lease(&self, selected: &DeletionRecord, now: SystemTime, until: SystemTime) -> bool {
        if [CheckThenLease, LeasesWhatIsThere, LeaseWritesTheRow].contains(&self.mistake) {
            self.others_write(selected).await;
        }
        let leased = DeletionRecord { leased_until: Some(self.time(until)), ..selected.clone() };
        let mut rows = self.rows();
        if self.mistake == LeaseWritesTheRow {
            rows.retain(|row| row.user_id != selected.user_id);
            rows.push(leased);
            return true;
        }
        let is_selected = |row: &&mut DeletionRecord| {
            row.realm == selected.realm
                && row.user_id == selected.user_id
                && (row.due_at == selected.due_at || self.mistake == LeasesWhatIsThere)
                && (!self.is_leased(row, self.now(now)) || self.mistake == CheckThenLease)
        };
        let found = rows.iter_mut().find(is_selected);
        found.map(|row| row.leased_until = leased.leased_until).is_some()
    }
}

#[async_trait]
impl DeletionRepository for Deletions {
    async fn schedule(
        &self,
        realm: &str,
        user_id: &str,
        due_at: SystemTime,
    ) -> Result<Option<DeletionRecord>, RepositoryError> {
        if self.mistake == CheckThenFinish {
            self.pause().await;
        }
        let new = self.stored(realm, user_id, due_at);
        let Some(row) = self.get(realm, user_id) else {
            if self.mistake == CheckThenInsert {
                self.gap.before(async { self.rows().push(new) }).await;
                return Ok(None);
            }
            return Ok(if self.insert(new) { None } else { self.get(realm, user_id) });
        };
        match self.mistake {
            ScheduleReplaces => {
                self.delete_if(realm, user_id, |_| true);
                self.insert(new);
            }
            ReturnsTheNewRow => return Ok(Some(new)),
            ReadsWhatIsGone => {
                self.others_write(&row).await;
                let there = self.get(realm, user_id);
                return there.map(Some).ok_or_else(|| RepositoryError::other("no rows returned"));
            }
            _ => {}
        }
        Ok(Some(row))
    }

    async fn find(&self, realm: &str, user_id: &str) -> Result<Option<DeletionRecord>, RepositoryError> {
        match self.get(realm, user_id) {
            None if self.mistake == NoneIsAnError => Err(RepositoryError::other("no rows returned")),
            found => Ok(found),
        }
    }

    async fn cancel(
        &self,
        realm: &str,
        user_id: &str,
        due_at: SystemTime,
        now: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let now = self.now(now);
        let is_gone = |row: &DeletionRecord| {
            (row.due_at == self.time(due_at) || self.mistake == CancelsAnyTime)
                && match self.mistake {
                    CancelsLeased => true,
                    CancelsNothingOnceLeased => row.leased_until.is_none(),
                    _ => !row.is_leased(now),
                }
        };
        let checked = self.get(realm, user_id).filter(|row| is_gone(row));
        if let (CheckThenCancel, Some(row)) = (self.mistake, checked) {
            self.others_write(&row).await;
            return Ok(self.delete_if(realm, user_id, |_| true));
        }
        Ok(self.delete_if(realm, user_id, is_gone) || self.mistake == CancelIsTrue)
    }

    async fn lease_due(
        &self,
        realm: &str,
        now: SystemTime,
        until: SystemTime,
        at_most: usize,
    ) -> Result<Vec<DeletionRecord>, RepositoryError> {
        if self.mistake == CheckThenCancel {
            self.pause().await;
        }
        let mut leased = Vec::new();
        for mut row in self.due(realm, now, at_most) {
            if self.lease(&row, now, until).await {
                if self.mistake != ReturnsTheOldLease {
                    row.leased_until = Some(self.time(until));
                }
                leased.push(row);
            }
        }
        leased.truncate(at_most);
        Ok(leased)
    }

    async fn finish(&self, realm: &str, user_id: &str, due_at: SystemTime) -> Result<(), RepositoryError> {
        let is_gone = |row: &DeletionRecord| {
            (row.due_at == self.time(due_at) || self.mistake == FinishesAnyTime)
                && (row.leased_until.is_none() || self.mistake != FinishesNothingLeased)
        };
        if self.mistake == CheckThenFinish && self.get(realm, user_id).is_some_and(|row| is_gone(&row)) {
            self.pause().await;
            self.delete_if(realm, user_id, |_| true);
        }
        match self.delete_if(realm, user_id, is_gone) {
            false if self.mistake == FinishNeedsARow => Err(RepositoryError::other("0 rows were deleted")),
            _ => Ok(()),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let mut checks = Checks::default();
    checks.each([
        (NoneIsAnError, "an_unknown_account_has_no_row", "`find` returned the error \"no rows returned\""),
        (
            ScheduleReplaces,
            "a_second_schedule_changes_nothing",
            "after a second `schedule`, `due_at` is 2096-10-02T07:06:40Z instead of 2096-10-02T07:06:41Z",
        ),
        (
            ReturnsTheNewRow,
            "a_second_schedule_changes_nothing",
            "in the row that a second `schedule` returned, `due_at` is 2096-10-02T07:06:40Z instead of 2096-10-02T07:06:41Z",
        ),
        (
            NeverNull,
            "a_scheduled_row_is_found",
            "after `schedule`, `leased_until` is 1970-01-01T00:00:00Z instead of null",
        ),
        (
            UserIdsIgnoreCase,
            "user_ids_are_compared_exactly",
            "after a `schedule` of an account whose user id differs in case, `find` finds a row",
        ),
        (
            RealmsArePadded,
            "realms_are_compared_exactly",
            "after a `schedule` of an account whose realm differs by a space at its end, `find` finds a row",
        ),
        (
            JoinedKeys,
            "each_realm_has_its_own_users",
            "after a `schedule` of an account whose realm has the first word of the user id at its end, `find` finds a row",
        ),
        (
            UsersAlone,
            "each_realm_has_its_own_users",
            "after a `schedule` of an account with another realm, `find` finds a row",
        ),
        (
            ShortUserIds,
            "the_largest_values_have_room",
            "after a `finish` of an account whose realm of 200 bytes differs at its end, `find` does not find the row",
        ),
        (
            ThreeBytesACharacter,
            "texts_are_stored_unchanged",
            "after `schedule`, `find` does not find the row",
        ),
        (
            WholeSeconds,
            "times_are_stored_to_the_millisecond",
            "after `schedule`, `due_at` is 2096-10-02T07:06:41Z instead of 2096-10-02T07:06:41.789000000Z",
        ),
        (
            EndsIn2106,
            "times_are_stored_to_the_millisecond",
            "after `schedule`, `due_at` is 2106-02-07T06:28:15Z instead of 9999-12-31T23:59:59.998000000Z",
        ),
        (CancelIsTrue, "a_cancelled_row_is_gone", "a second `cancel` of a row returned true"),
        (
            CancelsAnyTime,
            "a_cancel_needs_the_due_time",
            "`cancel` with another `due_at` than that of the row returned true",
        ),
        (
            CancelsLeased,
            "a_leased_row_is_not_cancelled",
            "`cancel` of a row that is leased at `now` returned true",
        ),
        (
            CancelsNothingOnceLeased,
            "a_leased_row_is_not_cancelled",
            "`cancel` of a row whose `leased_until` is not later than `now` returned false",
        ),
        (
            FinishesNothingLeased,
            "a_finished_row_is_gone",
            "after a `finish` of a row that is leased, `find` finds a row",
        ),
        (
            FinishesAnyTime,
            "a_finish_needs_the_due_time",
            "after a `finish` with another `due_at`, `find` does not find the row",
        ),
        (
            FinishNeedsARow,
            "finishing_nothing_is_no_error",
            "`finish` returned the error \"0 rows were deleted\"",
        ),
        (DueTooLate, "due_rows_are_leased", "`lease_due` returned 1 rows instead of 2"),
        (OwnClock, "due_rows_are_leased", "`lease_due` returned 0 rows instead of 2"),
        (LeasesEveryRealm, "due_rows_are_leased", "`lease_due` returned … rows instead of 2"),
        (
            ReturnsTheOldLease,
            "due_rows_are_leased",
            "in a row that `lease_due` returned, `leased_until` is null instead of 2096-10-02T07:21:41Z",
        ),
        (
            LeasesEndLate,
            "a_row_is_leased_again_after_its_lease",
            "`lease_due` after a lease returned 0 rows instead of 1",
        ),
        (
            LeasesOnce,
            "a_row_is_leased_again_after_its_lease",
            "`lease_due` after a lease returned 0 rows instead of 1",
        ),
        (
            LeasesAll,
            "at_most_so_many_rows_are_leased",
            "`lease_due` of at most 1 row returned 0 rows instead of 1",
        ),
        (
            AnyOrder,
            "rows_that_are_due_first_come_first",
            "in a row that `lease_due` of at most 2 rows returned, `user_id` is … instead of …",
        ),
        (
            CheckThenInsert,
            "one_of_a_hundred_schedules_succeeds",
            "… of 100 concurrent calls of `schedule` for one account returned `None`",
        ),
        (
            ReadsWhatIsGone,
            "a_schedule_beside_a_finish_succeeds",
            "`schedule` returned the error \"no rows returned\"",
        ),
        (
            CheckThenLease,
            "a_hundred_leases_return_each_row_once",
            "100 concurrent calls of `lease_due` returned … rows, of which only … differ",
        ),
        (
            CheckThenCancel,
            "a_cancel_or_a_lease_succeeds",
            "… of 100 concurrent calls of `cancel` and `lease_due` for one row succeeded",
        ),
        (
            CheckThenFinish,
            "a_finish_leaves_what_is_scheduled_after_it",
            "after concurrent calls of `finish` and `schedule`, …",
        ),
        (
            LeasesWhatIsThere,
            "a_lease_is_of_the_row_that_was_due",
            "of a `cancel` and a `lease_due` for one row at the same time, not exactly one succeeded",
        ),
        (
            LeaseWritesTheRow,
            "a_finished_row_stays_deleted",
            "after a `finish` and a `lease_due` at the same time, `find` finds a row",
        ),
    ], |mistake| conformance::deletions(Deletions::new(mistake))).await;
    checks.end(&conformance::deletions(MemoryDeletions::new()));
}
