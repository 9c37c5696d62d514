//! Repositories of identities with one mistake each.

use super::{Checks, Gap, WAITS, wait};
use crate::repository::{IdentityRecord, IdentityRepository, IdentityUse, RepositoryError};
use crate::testing::{MemoryIdentities, conformance};
use async_trait::async_trait;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// `fetch_one`, whose error for no row is passed on.
    NoneIsAnError,
    /// An empty text is null.
    EmptyIsNull,
    /// A user has one identity: `fetch_optional`.
    OneForAUser,
    /// A user has one identity at an issuer: the unique index has the user, too.
    OneAtAnIssuer,
    /// A user has at most 50 identities.
    FiftyForAUser,
    /// User ids in a collation that ignores case.
    UserIdsIgnoreCase,
    /// Ids in a collation that ignores case.
    IdsIgnoreCase,
    /// Issuers and subjects in a collation that ignores case.
    KeysIgnoreCase,
    /// A collation that ignores spaces at the end.
    KeysArePadded,
    /// Subjects are numbers, if they look like some.
    NumbersForSubjects,
    /// One column for the issuer and the subject.
    JoinedKeys,
    /// One column for the issuer and the subject, with a space between them.
    KeysJoinedByASpace,
    /// `UNIQUE (subject)`.
    SubjectsAlone,
    /// `UNIQUE (issuer)`.
    IssuersAlone,
    /// `varchar(100)`, from which a database without strict mode cuts off what is too long.
    ShortSubjects,
    /// An issuer of 4 characters or more, as every URL has.
    NoShortIssuers,
    /// MySQL's `utf8`, which has no characters of four bytes.
    ThreeBytesACharacter,
    /// Times in whole seconds.
    WholeSeconds,
    /// `COALESCE(?, email)`.
    AddressStays,
    /// A use also writes what the host calls the provider.
    UseWritesTheProvider,
    /// MySQL's number of changed rows.
    ChangedRows,
    /// `record_use` is an upsert.
    UseCreates,
    /// The row is read, changed and written back.
    UseWritesTheRow,
    /// `INSERT OR REPLACE`.
    InsertReplaces,
    /// `SELECT`, and `INSERT` if there is no row, without a unique index.
    CheckThenInsert,
    /// `deleted_at` is set, and the unique index has the row still.
    MarkedAsDeleted,
    /// `WHERE id = ?`.
    DeletesAnybodys,
    /// `delete` always returns true.
    DeleteIsTrue,
    /// Whether there was one, and not how many.
    DeleteAllIsOne,
}
use Mistake::{
    AddressStays, ChangedRows, CheckThenInsert, DeleteAllIsOne, DeleteIsTrue, DeletesAnybodys, EmptyIsNull,
    FiftyForAUser, IdsIgnoreCase, InsertReplaces, IssuersAlone, JoinedKeys, KeysArePadded, KeysIgnoreCase,
    KeysJoinedByASpace, MarkedAsDeleted, NoShortIssuers, NoneIsAnError, NumbersForSubjects, OneAtAnIssuer,
    OneForAUser, ShortSubjects, SubjectsAlone, ThreeBytesACharacter, UseCreates, UseWritesTheProvider,
    UseWritesTheRow, UserIdsIgnoreCase, WholeSeconds,
};

#[derive(Clone)]
struct Identities {
    mistake: Mistake,
    rows: Arc<Mutex<Vec<IdentityRecord>>>,
    /// Those that are only marked as deleted.
    marked: Arc<Mutex<Vec<IdentityRecord>>>,
    gap: Gap,
}

impl Identities {
    fn new(mistake: Mistake) -> Self {
        Self { mistake, rows: Arc::default(), marked: Arc::default(), gap: Gap::default() }
    }

    fn rows(&self) -> MutexGuard<'_, Vec<IdentityRecord>> {
        self.rows.lock().unwrap()
    }

    /// What of an issuer and a subject this repository compares.
    fn key(&self, issuer: &str, subject: &str) -> (String, String) {
        match self.mistake {
            KeysIgnoreCase => (issuer.to_lowercase(), subject.to_lowercase()),
            KeysArePadded => (issuer.trim_end().to_owned(), subject.trim_end().to_owned()),
            NumbersForSubjects => match subject.parse::<f64>() {
                Ok(number) => (issuer.to_owned(), number.to_string()),
                Err(_) => (issuer.to_owned(), subject.to_owned()),
            },
            JoinedKeys => (format!("{issuer}{subject}"), String::new()),
            KeysJoinedByASpace => (format!("{issuer} {subject}"), String::new()),
            SubjectsAlone => (String::new(), subject.to_owned()),
            _ => (issuer.to_owned(), subject.to_owned()),
        }
    }

    fn has_key(&self, row: &IdentityRecord, issuer: &str, subject: &str) -> bool {
        self.key(&row.issuer, &row.subject) == self.key(issuer, subject)
    }

    /// Whether the unique index refuses the second beside the first.
    fn collide(&self, row: &IdentityRecord, other: &IdentityRecord) -> bool {
        match self.mistake {
            OneAtAnIssuer if row.user_id == other.user_id => row.issuer == other.issuer,
            IssuersAlone => row.issuer == other.issuer,
            _ => self.has_key(row, &other.issuer, &other.subject),
        }
    }

    fn is_of(&self, row: &IdentityRecord, user_id: &str) -> bool {
        let key =
            |text: &str| if self.mistake == UserIdsIgnoreCase { text.to_lowercase() } else { text.into() };
        key(&row.user_id) == key(user_id)
    }

    fn has_id(&self, row: &IdentityRecord, id: &str) -> bool {
        row.id == id || self.mistake == IdsIgnoreCase && row.id.eq_ignore_ascii_case(id)
    }

    fn time(&self, time: SystemTime) -> SystemTime {
        let seconds = time.duration_since(UNIX_EPOCH).unwrap().as_secs();
        if self.mistake == WholeSeconds { UNIX_EPOCH + Duration::from_secs(seconds) } else { time }
    }

    /// The address as this repository stores it.
    fn email(&self, email: Option<String>) -> Option<String> {
        match self.mistake {
            EmptyIsNull => email.filter(|email| !email.is_empty()),
            ThreeBytesACharacter => email.map(|email| email.replace(|c: char| c.len_utf8() > 3, "?")),
            _ => email,
        }
    }

    /// The identity as this repository stores it.
    fn stored(&self, mut identity: IdentityRecord) -> IdentityRecord {
        identity.email = self.email(identity.email);
        identity.created_at = self.time(identity.created_at);
        identity.last_used_at = identity.last_used_at.map(|time| self.time(time));
        if self.mistake == ShortSubjects {
            identity.subject.truncate(100);
        }
        identity
    }

    /// The identity after this use.
    fn used(&self, row: &IdentityRecord, seen: &IdentityUse) -> IdentityRecord {
        let mut used = row.clone();
        used.email = self.email(seen.email.clone());
        if self.mistake == AddressStays {
            used.email = used.email.or_else(|| row.email.clone());
        }
        if self.mistake == UseWritesTheProvider {
            used.provider = row.issuer.clone();
        }
        used.last_used_at = Some(self.time(seen.last_used_at));
        used
    }

    fn by_id(&self, id: &str) -> Option<IdentityRecord> {
        self.rows().iter().find(|row| self.has_id(row, id)).cloned()
    }

    /// Deletes those for which the condition holds, and returns their number.
    fn delete_where(&self, is_gone: impl Fn(&IdentityRecord) -> bool) -> usize {
        let gone: Vec<_> = self.rows().extract_if(.., |row| is_gone(row)).collect();
        let number = gone.len();
        if self.mistake == MarkedAsDeleted {
            self.marked.lock().unwrap().extend(gone);
        }
        number
    }

    /// Writes the row back, whatever has happened to it, after others had the time to delete it: that ends before, however busy the
    /// machine is.
    async fn write_back(&self, row: IdentityRecord) -> bool {
        for _ in 0..WAITS {
            if self.by_id(&row.id).is_none() {
                break;
            }
            wait().await;
        }
        let mut rows = self.rows();
        rows.retain(|other| other.id != row.id);
        rows.push(row);
        true
    }
}

#[async_trait]
impl IdentityRepository for Identities {
    async fn insert(&self, identity: IdentityRecord) -> Result<bool, RepositoryError> {
        let identity = self.stored(identity);
        let of_user = |row: &&IdentityRecord| row.user_id == identity.user_id;
        match self.mistake {
            NoShortIssuers if identity.issuer.len() < 4 => {
                return Err(RepositoryError::other("the issuer is no URL"));
            }
            FiftyForAUser if self.rows().iter().filter(of_user).count() >= 50 => return Ok(true),
            InsertReplaces => self.rows().retain(|row| !self.collide(row, &identity)),
            CheckThenInsert => {
                let is_there = self.rows().iter().any(|row| self.collide(row, &identity));
                let write = async { self.rows().push(identity) };
                if !is_there {
                    self.gap.before(write).await;
                }
                return Ok(!is_there);
            }
            _ => {}
        }
        let (mut rows, marked) = (self.rows(), self.marked.lock().unwrap());
        let is_new = !rows.iter().chain(&*marked).any(|row| self.collide(row, &identity));
        if is_new {
            rows.push(identity);
        }
        Ok(is_new)
    }

    async fn find_by_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<IdentityRecord>, RepositoryError> {
        match self.rows().iter().find(|row| self.has_key(row, issuer, subject)) {
            None if self.mistake == NoneIsAnError => Err(RepositoryError::other("no rows returned")),
            found => Ok(found.cloned()),
        }
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<IdentityRecord>, RepositoryError> {
        let mut found: Vec<_> = self.rows().iter().filter(|row| self.is_of(row, user_id)).cloned().collect();
        if self.mistake == OneForAUser {
            found.truncate(1);
        }
        Ok(found)
    }

    async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, RepositoryError> {
        let stored = self.by_id(id);
        match (self.mistake, stored) {
            (ChangedRows, Some(stored)) if self.used(&stored, seen) == stored => return Ok(false),
            (UseCreates, None) => {
                let created = IdentityRecord::new(id, "", "", id, seen.last_used_at);
                self.rows().push(created);
                return Ok(true);
            }
            (UseWritesTheRow, Some(stored)) => return Ok(self.write_back(self.used(&stored, seen)).await),
            _ => {}
        }
        let mut rows = self.rows();
        let Some(row) = rows.iter_mut().find(|row| self.has_id(row, id)) else { return Ok(false) };
        *row = self.used(row, seen);
        Ok(true)
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        let is_allowed = |row: &IdentityRecord| self.mistake == DeletesAnybodys || self.is_of(row, user_id);
        let deleted = self.delete_where(|row| self.has_id(row, id) && is_allowed(row));
        Ok(deleted > 0 || self.mistake == DeleteIsTrue)
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        let deleted = self.delete_where(|row| self.is_of(row, user_id)) as u64;
        Ok(if self.mistake == DeleteAllIsOne { deleted.min(1) } else { deleted })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let exactly = "issuers_and_subjects_are_compared_exactly";
    let mut checks = Checks::default();
    checks.each([
        (
            NoneIsAnError,
            "an_unknown_row_is_none",
            "`find_by_subject` returned the error \"no rows returned\"",
        ),
        (
            EmptyIsNull,
            "an_identity_is_found_with_every_field",
            "after `insert`, `email` is null instead of \"\"",
        ),
        (
            OneForAUser,
            "rows_are_found_by_user",
            "`find_by_user` returned 1 identities, not exactly the 3 of the user",
        ),
        (
            OneAtAnIssuer,
            "rows_are_found_by_user",
            "`insert` returned false although no identity has this issuer and subject",
        ),
        (FiftyForAUser, "a_hundred_new_rows_are_stored", "`find_by_user` finds … of 100 identities"),
        (
            UserIdsIgnoreCase,
            "user_ids_are_compared_exactly",
            "`find_by_user` of \"AS …\" finds an identity of the user \"as …\", whose id differs in case",
        ),
        (
            IdsIgnoreCase,
            "ids_are_compared_exactly",
            "`record_use` with the id \"…\" returned true, with an identity \"…as\", which differs in case",
        ),
        (
            KeysIgnoreCase,
            exactly,
            "after an `insert` of an identity whose subject differs in case, `find_by_subject` finds an identity",
        ),
        (
            KeysArePadded,
            exactly,
            "after an `insert` of an identity whose subject differs by a space at its end, `find_by_subject` finds an identity",
        ),
        (
            NumbersForSubjects,
            exactly,
            "after an `insert` of an identity whose subject differs in case, `find_by_subject` finds an identity",
        ),
        (
            JoinedKeys,
            exactly,
            "after an `insert` of an identity whose issuer has the first character of the subject at its end, \
             `find_by_subject` finds an identity",
        ),
        (
            KeysJoinedByASpace,
            exactly,
            "after an `insert` of an identity whose issuer differs by a space at its end, \
             `find_by_subject` finds an identity",
        ),
        (
            SubjectsAlone,
            "each_issuer_has_its_own_subjects",
            "`insert` returned false although there are only identities with another issuer or another subject",
        ),
        (
            IssuersAlone,
            "each_issuer_has_its_own_subjects",
            "`insert` returned false although there are only identities with another issuer or another subject",
        ),
        (
            ShortSubjects,
            "the_largest_values_have_room",
            "after `insert`, `find_by_subject` does not find the identity",
        ),
        (
            NoShortIssuers,
            "the_largest_values_have_room",
            "`insert` returned the error \"the issuer is no URL\"",
        ),
        (
            ThreeBytesACharacter,
            "texts_are_stored_unchanged",
            "after `insert`, `email` is \"\u{5218}\u{6d0b} ??\\u{200d}?\" instead of …",
        ),
        (
            WholeSeconds,
            "times_are_stored_to_the_millisecond",
            "after `insert`, `created_at` is 2026-11-18T11:06:41Z instead of 2026-11-18T11:06:41.789000000Z",
        ),
        (
            AddressStays,
            "a_use_writes_its_two_fields",
            "after a `record_use`, `email` is \"ada@example.com\" instead of null",
        ),
        (
            UseWritesTheProvider,
            "a_use_writes_its_two_fields",
            "after a `record_use`, `provider` is \"https://id.example.invalid\" instead of \"example-2\"",
        ),
        (
            ChangedRows,
            "a_use_that_changes_nothing_succeeds",
            "`record_use` of what is stored already returned false",
        ),
        (
            UseCreates,
            "a_use_of_nothing_creates_nothing",
            "`record_use` of an identity that does not exist returned true",
        ),
        (
            UseWritesTheRow,
            "a_deleted_row_stays_deleted",
            "after a `delete` and a `record_use` at the same time, `find_by_subject` finds an identity",
        ),
        (
            InsertReplaces,
            "a_key_is_stored_once",
            "`insert` returned true although there is an identity with this issuer and subject",
        ),
        (
            CheckThenInsert,
            "one_of_a_hundred_inserts_succeeds",
            "… of 100 concurrent calls of `insert` with one issuer and subject returned true",
        ),
        (
            MarkedAsDeleted,
            "a_deleted_key_can_be_stored_again",
            "`insert` returned false although the identity with this issuer and subject was deleted",
        ),
        (
            DeletesAnybodys,
            "a_deleted_row_is_gone",
            "`delete` returned true although the user has no identity with this id",
        ),
        (
            DeleteIsTrue,
            "a_deleted_row_is_gone",
            "`delete` returned true although the user has no identity with this id",
        ),
        (
            DeleteAllIsOne,
            "all_rows_of_a_user_are_deleted",
            "`delete_all` of a user with 3 identities returned 1",
        ),
    ], |mistake| conformance::identities(Identities::new(mistake))).await;
    checks.end(&conformance::identities(MemoryIdentities::new()));
}
