//! Repositories of passkeys with one mistake each.

use super::{Checks, Gap, WAITS, wait};
use crate::repository::{PasskeyRecord, PasskeyRepository, PasskeyUse, RepositoryError};
use crate::testing::{MemoryPasskeys, conformance};
use async_trait::async_trait;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// `fetch_one`, whose error for no row is passed on.
    NoneIsAnError,
    /// A model of zeros is stored as null.
    NoModelOfZeros,
    /// The transports are a set, which has another order.
    SortedTransports,
    /// A user has one passkey: `fetch_optional`.
    OneForAUser,
    /// A user has at most 50 passkeys.
    FiftyForAUser,
    /// User ids in a collation that ignores case.
    UserIdsIgnoreCase,
    /// Ids in a collation that ignores case.
    IdsIgnoreCase,
    /// Credential ids are texts of C, which end at the first zero byte.
    EndAtZero,
    /// Credential ids are texts of UTF-8, with a replacement for every other byte.
    CredentialsAsText,
    /// MySQL's `utf8`, which has no characters of four bytes.
    ThreeBytesACharacter,
    /// A public key of at most 1 KiB.
    ShortKeys,
    /// A credential id of 16 bytes or more.
    NoShortCredentials,
    /// A counter of 31 bits and a sign.
    SignedCounters,
    /// Times in whole seconds.
    WholeSeconds,
    /// `GREATEST(counter, …)`.
    CounterNeverSmaller,
    /// `WHERE id = ?`.
    ExpectedIgnored,
    /// MySQL's number of changed rows.
    ChangedRows,
    /// `record_use` is an upsert.
    UseCreates,
    /// `SELECT`, compare, `UPDATE`.
    CheckThenUse,
    /// The row is read, changed and written back.
    UseWritesTheRow,
    /// `INSERT OR REPLACE`.
    InsertReplaces,
    /// `SELECT`, and `INSERT` if there is no row, without a unique index.
    CheckThenInsert,
    /// `deleted_at` is set, and the unique index has the row still.
    MarkedAsDeleted,
    /// The name is trimmed.
    TrimmedNames,
    /// `WHERE id = ?`.
    RenamesAnybodys,
    /// `WHERE id = ?`.
    DeletesAnybodys,
    /// `delete` always returns true.
    DeleteIsTrue,
    /// Whether there was one, and not how many.
    DeleteAllIsOne,
}
use Mistake::{
    ChangedRows, CheckThenInsert, CheckThenUse, CounterNeverSmaller, CredentialsAsText, DeleteAllIsOne,
    DeleteIsTrue, DeletesAnybodys, EndAtZero, ExpectedIgnored, FiftyForAUser, IdsIgnoreCase, InsertReplaces,
    MarkedAsDeleted, NoModelOfZeros, NoShortCredentials, NoneIsAnError, OneForAUser, RenamesAnybodys,
    ShortKeys, SignedCounters, SortedTransports, ThreeBytesACharacter, TrimmedNames, UseCreates,
    UseWritesTheRow, UserIdsIgnoreCase, WholeSeconds,
};

#[derive(Clone)]
struct Passkeys {
    passkeys: MemoryPasskeys,
    mistake: Mistake,
    /// The credential ids of all passkeys that were ever stored, by their ids.
    credentials: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    /// The credential ids of those that are only marked as deleted.
    marked: Arc<Mutex<HashSet<Vec<u8>>>>,
    gap: Gap,
}

impl Passkeys {
    fn new(mistake: Mistake) -> Self {
        let passkeys = MemoryPasskeys::new();
        let (credentials, marked, gap) = (Arc::default(), Arc::default(), Gap::default());
        Self { passkeys, mistake, credentials, marked, gap }
    }

    fn user_id(&self, user_id: &str) -> String {
        if self.mistake == UserIdsIgnoreCase { user_id.to_lowercase() } else { user_id.to_owned() }
    }

    fn id(&self, id: &str) -> String {
        if self.mistake == IdsIgnoreCase { id.to_lowercase() } else { id.to_owned() }
    }

    fn credential_id(&self, credential_id: &[u8]) -> Vec<u8> {
        match self.mistake {
            EndAtZero => credential_id.split(|byte| *byte == 0).next().unwrap().to_vec(),
            CredentialsAsText => String::from_utf8_lossy(credential_id).into_owned().into_bytes(),
            _ => credential_id.to_vec(),
        }
    }

    fn time(&self, time: SystemTime) -> SystemTime {
        match self.mistake {
            WholeSeconds => {
                UNIX_EPOCH + Duration::from_secs(time.duration_since(UNIX_EPOCH).unwrap().as_secs())
            }
            _ => time,
        }
    }

    /// The passkey as this repository stores it.
    fn stored(&self, mut passkey: PasskeyRecord) -> PasskeyRecord {
        passkey.id = self.id(&passkey.id);
        passkey.user_id = self.user_id(&passkey.user_id);
        passkey.credential_id = self.credential_id(&passkey.credential_id);
        passkey.created_at = self.time(passkey.created_at);
        passkey.last_used_at = passkey.last_used_at.map(|time| self.time(time));
        match self.mistake {
            NoModelOfZeros => passkey.aaguid = passkey.aaguid.filter(|model| *model != [0; 16]),
            SortedTransports => passkey.transports.sort(),
            ThreeBytesACharacter => passkey.name = passkey.name.replace(|c: char| c.len_utf8() > 3, "?"),
            ShortKeys => passkey.public_key.truncate(1 << 10),
            SignedCounters => passkey.counter = passkey.counter.min(i32::MAX as u32),
            _ => {}
        }
        passkey
    }

    /// The passkey with this id.
    async fn by_id(&self, id: &str) -> Result<Option<PasskeyRecord>, RepositoryError> {
        let credential_id = self.credentials.lock().unwrap().get(id).cloned().unwrap_or_default();
        Ok(self.passkeys.find_by_credential_id(&credential_id).await?.filter(|passkey| passkey.id == id))
    }

    /// Stores the passkey, whatever is there.
    async fn write(&self, passkey: PasskeyRecord) -> Result<bool, RepositoryError> {
        if let Some(previous) = self.passkeys.find_by_credential_id(&passkey.credential_id).await? {
            self.passkeys.delete(&previous.user_id, &previous.id).await?;
        }
        self.passkeys.insert(passkey).await
    }

    /// Lets others run until the passkey is deleted: that ends before the row is written back, however busy the machine is.
    async fn wait_for_deletion(&self, id: &str) -> Result<(), RepositoryError> {
        for _ in 0..WAITS {
            if self.by_id(id).await?.is_none() {
                break;
            }
            wait().await;
        }
        Ok(())
    }
}

#[async_trait]
impl PasskeyRepository for Passkeys {
    async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, RepositoryError> {
        let passkey = self.stored(passkey);
        let credential_id = &passkey.credential_id;
        match self.mistake {
            NoShortCredentials if credential_id.len() < 16 => {
                return Err(RepositoryError::other("the credential id is too short"));
            }
            MarkedAsDeleted if self.marked.lock().unwrap().contains(credential_id) => return Ok(false),
            FiftyForAUser if self.passkeys.find_by_user(&passkey.user_id).await?.len() >= 50 => {
                return Ok(true);
            }
            CheckThenInsert => {
                let is_there = self.passkeys.find_by_credential_id(credential_id).await?.is_some();
                return if is_there { Ok(false) } else { self.gap.before(self.write(passkey)).await };
            }
            _ => {}
        }
        self.credentials.lock().unwrap().insert(passkey.id.clone(), credential_id.clone());
        if self.mistake == InsertReplaces {
            return self.write(passkey).await;
        }
        self.passkeys.insert(passkey).await
    }

    async fn find_by_credential_id(
        &self,
        credential_id: &[u8],
    ) -> Result<Option<PasskeyRecord>, RepositoryError> {
        match self.passkeys.find_by_credential_id(&self.credential_id(credential_id)).await? {
            None if self.mistake == NoneIsAnError => Err(RepositoryError::other("no rows returned")),
            found => Ok(found),
        }
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<PasskeyRecord>, RepositoryError> {
        let mut found = self.passkeys.find_by_user(&self.user_id(user_id)).await?;
        if self.mistake == OneForAUser {
            found.truncate(1);
        }
        Ok(found)
    }

    async fn record_use(
        &self,
        id: &str,
        expected: Option<u32>,
        seen: &PasskeyUse,
    ) -> Result<bool, RepositoryError> {
        let id = &self.id(id);
        let (stored, mut seen) = (self.by_id(id).await?, *seen);
        seen.last_used_at = self.time(seen.last_used_at);
        match (self.mistake, stored) {
            (CounterNeverSmaller, Some(stored)) => seen.counter = seen.counter.max(stored.counter),
            (SignedCounters, _) => seen.counter = seen.counter.min(i32::MAX as u32),
            (ChangedRows, Some(stored)) => {
                let PasskeyUse { counter, backed_up, last_used_at } = seen;
                let last_used_at = Some(last_used_at);
                if stored == (PasskeyRecord { counter, backed_up, last_used_at, ..stored.clone() }) {
                    return Ok(false);
                }
            }
            (UseCreates, None) => {
                let at = seen.last_used_at;
                return self.passkeys.insert(PasskeyRecord::new(id, "", id.as_bytes(), *b"", at)).await;
            }
            (CheckThenUse, Some(stored)) => {
                if expected.is_some_and(|expected| stored.counter != expected) {
                    return Ok(false);
                }
                return self.gap.before(self.passkeys.record_use(id, None, &seen)).await;
            }
            (UseWritesTheRow, Some(stored)) => {
                self.wait_for_deletion(id).await?;
                let PasskeyUse { counter, backed_up, last_used_at } = seen;
                let last_used_at = Some(last_used_at);
                return self.write(PasskeyRecord { counter, backed_up, last_used_at, ..stored }).await;
            }
            _ => {}
        }
        let expected = expected.filter(|_| self.mistake != ExpectedIgnored);
        self.passkeys.record_use(id, expected, &seen).await
    }

    async fn rename(&self, user_id: &str, id: &str, name: &str) -> Result<bool, RepositoryError> {
        let (id, mut user_id) = (self.id(id), self.user_id(user_id));
        let name = match self.mistake {
            TrimmedNames => name.trim().to_owned(),
            ThreeBytesACharacter => name.replace(|c: char| c.len_utf8() > 3, "?"),
            _ => name.to_owned(),
        };
        match (self.mistake, self.by_id(&id).await?) {
            (RenamesAnybodys, Some(stored)) => user_id = stored.user_id,
            (ChangedRows, Some(stored)) if stored.name == name => return Ok(false),
            _ => {}
        }
        self.passkeys.rename(&user_id, &id, &name).await
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        let (id, mut user_id) = (self.id(id), self.user_id(user_id));
        match (self.mistake, self.by_id(&id).await?) {
            (DeletesAnybodys, Some(stored)) => user_id = stored.user_id,
            (MarkedAsDeleted, Some(stored)) => {
                self.marked.lock().unwrap().insert(stored.credential_id);
            }
            _ => {}
        }
        Ok(self.passkeys.delete(&user_id, &id).await? || self.mistake == DeleteIsTrue)
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        let deleted = self.passkeys.delete_all(&self.user_id(user_id)).await?;
        Ok(if self.mistake == DeleteAllIsOne { deleted.min(1) } else { deleted })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let mut checks = Checks::default();
    checks.each([
        (
            NoneIsAnError,
            "an_unknown_row_is_none",
            "`find_by_credential_id` returned the error \"no rows returned\"",
        ),
        (
            NoModelOfZeros,
            "a_passkey_is_found_with_every_field",
            "after `insert`, `aaguid` is null instead of 00000000000000000000000000000000",
        ),
        (
            SortedTransports,
            "a_passkey_is_found_with_every_field",
            "after `insert`, `transports` is [\"hybrid\", \"internal\"] instead of [\"internal\", \"hybrid\"]",
        ),
        (
            OneForAUser,
            "rows_are_found_by_user",
            "`find_by_user` returned 1 passkeys, not exactly the 3 of the user",
        ),
        (FiftyForAUser, "a_hundred_new_rows_are_stored", "`find_by_user` finds … of 100 passkeys"),
        (
            UserIdsIgnoreCase,
            "user_ids_are_compared_exactly",
            "`find_by_user` of \"AS …\" finds a passkey of the user \"as …\", whose id differs in case",
        ),
        (
            IdsIgnoreCase,
            "ids_are_compared_exactly",
            "`record_use` with the id \"…\" returned true, with a passkey \"…as\", which differs in case",
        ),
        (
            EndAtZero,
            "credential_ids_are_compared_exactly",
            "after an `insert` of a passkey whose credential id differs in its last byte, `find_by_credential_id` finds a passkey",
        ),
        (
            CredentialsAsText,
            "a_passkey_is_found_with_every_field",
            "after `insert`, `credential_id` is … instead of …",
        ),
        (
            ThreeBytesACharacter,
            "texts_are_stored_unchanged",
            "after `insert`, `name` is \"\u{5218}\u{6d0b} ??\\u{200d}?\" instead of …",
        ),
        (
            ShortKeys,
            "the_largest_values_have_room",
            "after `insert`, `public_key` is … (2048 characters) instead of … (4096 characters)",
        ),
        (
            NoShortCredentials,
            "the_largest_values_have_room",
            "`insert` returned the error \"the credential id is too short\"",
        ),
        (
            SignedCounters,
            "counters_have_32_bits",
            "after a `record_use`, `counter` is 2147483647 instead of 4294967295",
        ),
        (
            WholeSeconds,
            "times_are_stored_to_the_millisecond",
            "after `insert`, `created_at` is 2026-11-18T11:06:41Z instead of 2026-11-18T11:06:41.789000000Z",
        ),
        (
            CounterNeverSmaller,
            "a_use_writes_its_three_fields",
            "after a `record_use`, `counter` is 4000 instead of 3",
        ),
        (
            ExpectedIgnored,
            "a_use_requires_the_expected_counter",
            "`record_use` returned true although the counter was not the expected one",
        ),
        (
            ChangedRows,
            "a_use_that_changes_nothing_succeeds",
            "`record_use` of what is stored already returned false",
        ),
        (
            ChangedRows,
            "a_rename_writes_the_name",
            "after a `rename` that changes nothing, the result is false although the user has the passkey",
        ),
        (
            ChangedRows,
            "a_use_requires_the_expected_counter",
            "`record_use` of what is stored already, with the expected counter, returned false",
        ),
        (
            UserIdsIgnoreCase,
            "a_rename_needs_the_user",
            "`rename` by \"CONFORMANCE …\" with the id \"…\" returned true, with a passkey \"…as\" of \"conformance …\", which differs in case",
        ),
        (
            IdsIgnoreCase,
            "a_rename_needs_the_user",
            "`rename` by \"conformance …\" with the id \"…\" returned true, with a passkey \"…as\" of \"conformance …\", which differs in case",
        ),
        (
            UseCreates,
            "a_use_of_nothing_creates_nothing",
            "`record_use` of a passkey that does not exist returned true",
        ),
        (
            CheckThenUse,
            "one_of_a_hundred_uses_succeeds",
            "… of 100 concurrent calls of `record_use` with one expected counter returned true",
        ),
        (
            UseWritesTheRow,
            "a_deleted_row_stays_deleted",
            "after a `delete` and a `record_use` at the same time, `find_by_credential_id` finds a passkey",
        ),
        (
            UseWritesTheRow,
            "a_use_does_not_undo_a_rename",
            "after a `record_use` and a `rename` at the same time, `name` is … instead of …",
        ),
        (
            InsertReplaces,
            "a_key_is_stored_once",
            "`insert` returned true although there is a passkey with this credential id",
        ),
        (
            CheckThenInsert,
            "one_of_a_hundred_inserts_succeeds",
            "… of 100 concurrent calls of `insert` with one credential id returned true",
        ),
        (
            MarkedAsDeleted,
            "a_deleted_key_can_be_stored_again",
            "`insert` returned false although the passkey with this credential id was deleted",
        ),
        (
            TrimmedNames,
            "a_rename_writes_the_name",
            "after a `rename`, `name` is \"Ada\" instead of \"  Ada  \"",
        ),
        (
            RenamesAnybodys,
            "a_rename_needs_the_user",
            "`rename` by \"CONFORMANCE …\" with the id \"…\" returned true, with a passkey \"…as\" of \"conformance …\", which differs in case",
        ),
        (
            DeletesAnybodys,
            "a_deleted_row_is_gone",
            "`delete` returned true although the user has no passkey with this id",
        ),
        (
            DeleteIsTrue,
            "a_deleted_row_is_gone",
            "`delete` returned true although the user has no passkey with this id",
        ),
        (
            DeleteAllIsOne,
            "all_rows_of_a_user_are_deleted",
            "`delete_all` of a user with 3 passkeys returned 1",
        ),
    ], |mistake| conformance::passkeys(Passkeys::new(mistake))).await;
    checks.end(&conformance::passkeys(MemoryPasskeys::new()));
}
