//! Repositories of API tokens with one mistake each.

use super::{Checks, Gap, WAITS, wait};
use crate::repository::{ApiTokenRecord, ApiTokenRepository, RepositoryError};
use crate::testing::{MemoryApiTokens, conformance};
use async_trait::async_trait;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// `fetch_one`, whose error for no row is passed on.
    NoneIsAnError,
    /// A user has one token: `fetch_optional`.
    OneForAUser,
    /// A user has at most 50 tokens.
    FiftyForAUser,
    /// User ids in a collation that ignores case.
    UserIdsIgnoreCase,
    /// User ids of which the first 255 characters are compared.
    LongUserIdsAreOne,
    /// Ids in a collation that ignores case.
    IdsIgnoreCase,
    /// Ids in a collation that ignores case, in `delete` alone.
    DeleteIgnoresCase,
    /// A collation that ignores spaces at the end.
    IdsArePadded,
    /// Ids are numbers, if they look like some.
    NumbersForIds,
    /// `last_used_at bigint NOT NULL DEFAULT 0`.
    NeverIsTheEpoch,
    /// The scopes are a set.
    ScopesAreSorted,
    /// A hash is a text of C, which ends at its first 0.
    HashesEndAtZero,
    /// `WHERE expires_at > now()`.
    OnlyValidTokens,
    /// `varchar(64)` of a database that counts bytes, from which it cuts off what is too long.
    ShortNames,
    /// `varchar(255)` for all scopes.
    ShortScopes,
    /// MySQL's `utf8`, which has no characters of four bytes.
    ThreeBytesACharacter,
    /// Times in whole seconds.
    WholeSeconds,
    /// The end in whole seconds.
    EndsInSeconds,
    /// A use moves the end.
    UseMovesTheEnd,
    /// `GREATEST(last_used_at, ?)`.
    UseStaysLater,
    /// `WHERE last_used_at <= ?`, which does not hold for null.
    NullIsNotEarlier,
    /// `WHERE last_used_at < ?`.
    BeforeIsNotDue,
    /// `record_use` has no condition.
    EveryUseIsWritten,
    /// The condition compares whole seconds.
    SecondsAreCompared,
    /// The row is read, and written if its last use is old.
    CheckThenUse,
    /// `record_use` is an upsert.
    UseCreates,
    /// The row is read, changed and written back.
    UseWritesTheRow,
    /// `INSERT OR REPLACE`.
    InsertReplaces,
    /// `SELECT`, and `INSERT` if there is no row, without a primary key.
    CheckThenInsert,
    /// `deleted_at` is set, and the primary key has the row still.
    MarkedAsDeleted,
    /// `WHERE id = ?`.
    DeletesAnybodys,
    /// Whether there was one, and not how many.
    DeleteAllIsOne,
    /// `DELETE` without `LIMIT`.
    ExpiredWithoutLimit,
    /// `WHERE expires_at < ?`.
    EndIsNotExpired,
    /// A token expires a minute early.
    ExpiresEarly,
    /// Whether some were expired, and not how many.
    ExpiredAreOne,
}
use Mistake::{
    BeforeIsNotDue, CheckThenInsert, CheckThenUse, DeleteAllIsOne, DeleteIgnoresCase, DeletesAnybodys,
    EndIsNotExpired, EndsInSeconds, EveryUseIsWritten, ExpiredAreOne, ExpiredWithoutLimit, ExpiresEarly,
    FiftyForAUser, HashesEndAtZero, IdsArePadded, IdsIgnoreCase, InsertReplaces, LongUserIdsAreOne,
    MarkedAsDeleted, NeverIsTheEpoch, NoneIsAnError, NullIsNotEarlier, NumbersForIds, OneForAUser,
    OnlyValidTokens, ScopesAreSorted, SecondsAreCompared, ShortNames, ShortScopes, ThreeBytesACharacter,
    UseCreates, UseMovesTheEnd, UseStaysLater, UseWritesTheRow, UserIdsIgnoreCase, WholeSeconds,
};

fn whole_seconds(time: SystemTime) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(time.duration_since(UNIX_EPOCH).unwrap().as_secs())
}

/// The longest beginning of a text with at most so many bytes.
fn cut(mut text: String, bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(bytes));
    text
}

#[derive(Clone)]
struct Tokens {
    mistake: Mistake,
    rows: Arc<Mutex<Vec<ApiTokenRecord>>>,
    /// Those that are only marked as deleted.
    marked: Arc<Mutex<Vec<ApiTokenRecord>>>,
    gap: Gap,
}

impl Tokens {
    fn new(mistake: Mistake) -> Self {
        Self { mistake, rows: Arc::default(), marked: Arc::default(), gap: Gap::default() }
    }

    fn rows(&self) -> MutexGuard<'_, Vec<ApiTokenRecord>> {
        self.rows.lock().unwrap()
    }

    fn has_id(&self, row: &ApiTokenRecord, id: &str) -> bool {
        let number = |id: &str| id.parse::<f64>().map_or_else(|_| id.to_owned(), |id| id.to_string());
        match self.mistake {
            IdsIgnoreCase => row.id.eq_ignore_ascii_case(id),
            IdsArePadded => row.id.trim_end() == id.trim_end(),
            NumbersForIds => number(&row.id) == number(id),
            _ => row.id == id,
        }
    }

    fn is_of(&self, row: &ApiTokenRecord, user_id: &str) -> bool {
        let key = |text: &str| match self.mistake {
            UserIdsIgnoreCase => text.to_lowercase(),
            LongUserIdsAreOne => cut(text.to_owned(), 255),
            _ => text.to_owned(),
        };
        key(&row.user_id) == key(user_id)
    }

    /// Whether a query finds the row.
    fn is_there(&self, row: &ApiTokenRecord) -> bool {
        self.mistake != OnlyValidTokens || row.expires_at > SystemTime::now()
    }

    fn time(&self, time: SystemTime) -> SystemTime {
        if self.mistake == WholeSeconds { whole_seconds(time) } else { time }
    }

    /// The token as this repository stores it.
    fn stored(&self, mut token: ApiTokenRecord) -> ApiTokenRecord {
        token.created_at = self.time(token.created_at);
        token.expires_at = self.time(token.expires_at);
        token.last_used_at = token.last_used_at.map(|time| self.time(time));
        match self.mistake {
            NeverIsTheEpoch => token.last_used_at = token.last_used_at.or(Some(UNIX_EPOCH)),
            ScopesAreSorted => token.scopes.sort(),
            HashesEndAtZero => {
                let end = token.secret_hash.iter().position(|byte| *byte == 0).unwrap_or(32);
                token.secret_hash[end..].fill(0);
            }
            ShortNames => token.name = cut(token.name, 64),
            ShortScopes => {
                let scopes = cut(token.scopes.join(" "), 255);
                token.scopes = scopes.split(' ').map(str::to_owned).collect();
            }
            ThreeBytesACharacter => token.name = token.name.replace(|c: char| c.len_utf8() > 3, "?"),
            EndsInSeconds => token.expires_at = whole_seconds(token.expires_at),
            _ => {}
        }
        token
    }

    /// Whether a use at this time is written.
    fn is_due(&self, row: &ApiTokenRecord, before: SystemTime) -> bool {
        match (self.mistake, row.last_used_at) {
            (NullIsNotEarlier, None) => false,
            (_, None) | (EveryUseIsWritten, _) => true,
            (BeforeIsNotDue, Some(last)) => last < before,
            (SecondsAreCompared, Some(last)) => whole_seconds(last) <= whole_seconds(before),
            (_, Some(last)) => last <= before,
        }
    }

    /// The token after a use.
    fn used(&self, row: &ApiTokenRecord, at: SystemTime) -> ApiTokenRecord {
        let mut used = row.clone();
        used.last_used_at = Some(self.time(at));
        match self.mistake {
            UseMovesTheEnd => used.expires_at = at + Duration::from_secs(86_400),
            UseStaysLater => used.last_used_at = used.last_used_at.max(row.last_used_at),
            _ => {}
        }
        used
    }

    fn by_id(&self, id: &str) -> Option<ApiTokenRecord> {
        self.rows().iter().find(|row| self.has_id(row, id)).cloned()
    }

    /// Deletes those for which the condition holds, at most so many, and returns their number.
    fn delete_where(&self, at_most: u32, is_gone: impl Fn(&ApiTokenRecord) -> bool) -> u64 {
        let gone: Vec<_> = self.rows().extract_if(.., |row| is_gone(row)).collect();
        // Those that are too many come back.
        let (gone, kept) = gone.split_at(gone.len().min(at_most as usize));
        self.rows().extend_from_slice(kept);
        if self.mistake == MarkedAsDeleted {
            self.marked.lock().unwrap().extend_from_slice(gone);
        }
        gone.len() as u64
    }

    /// Writes the row back, whatever has happened to it, after others had the time to delete it: that ends before, however busy the
    /// machine is.
    async fn write_back(&self, row: ApiTokenRecord) -> bool {
        for _ in 0..WAITS {
            if self.by_id(&row.id).is_none() {
                break;
            }
            wait().await;
        }
        self.write(row)
    }

    fn write(&self, row: ApiTokenRecord) -> bool {
        let mut rows = self.rows();
        rows.retain(|other| other.id != row.id);
        rows.push(row);
        true
    }
}

#[async_trait]
impl ApiTokenRepository for Tokens {
    async fn insert(&self, token: ApiTokenRecord) -> Result<bool, RepositoryError> {
        let token = self.stored(token);
        let of_user = |row: &&ApiTokenRecord| row.user_id == token.user_id;
        match self.mistake {
            FiftyForAUser if self.rows().iter().filter(of_user).count() >= 50 => return Ok(true),
            InsertReplaces => self.rows().retain(|row| row.id != token.id),
            CheckThenInsert => {
                let is_there = self.by_id(&token.id).is_some();
                let write = async { self.rows().push(token) };
                if !is_there {
                    self.gap.before(write).await;
                }
                return Ok(!is_there);
            }
            _ => {}
        }
        let (mut rows, marked) = (self.rows(), self.marked.lock().unwrap());
        let is_new = !rows.iter().chain(&*marked).any(|row| self.has_id(row, &token.id));
        if is_new {
            rows.push(token);
        }
        Ok(is_new)
    }

    async fn find_by_id(&self, id: &str) -> Result<Option<ApiTokenRecord>, RepositoryError> {
        match self.by_id(id).filter(|row| self.is_there(row)) {
            None if self.mistake == NoneIsAnError => Err(RepositoryError::other("no rows returned")),
            found => Ok(found),
        }
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<ApiTokenRecord>, RepositoryError> {
        let is_found = |row: &&ApiTokenRecord| self.is_of(row, user_id) && self.is_there(row);
        let mut found: Vec<_> = self.rows().iter().filter(is_found).cloned().collect();
        if self.mistake == OneForAUser {
            found.truncate(1);
        }
        Ok(found)
    }

    async fn record_use(
        &self,
        id: &str,
        before: SystemTime,
        at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let stored = self.by_id(id);
        match (self.mistake, stored) {
            (UseCreates, None) => return Ok(self.write(ApiTokenRecord::new(id, "", [0; 32], at, at))),
            (CheckThenUse, Some(stored)) => {
                let is_due = self.is_due(&stored, before);
                let used = self.used(&stored, at);
                return Ok(is_due && self.gap.before(async { self.write(used) }).await);
            }
            (UseWritesTheRow, Some(stored)) if self.is_due(&stored, before) => {
                return Ok(self.write_back(self.used(&stored, at)).await);
            }
            _ => {}
        }
        let mut rows = self.rows();
        let is_due = |row: &&mut ApiTokenRecord| self.has_id(row, id) && self.is_due(row, before);
        let Some(row) = rows.iter_mut().find(is_due) else { return Ok(false) };
        *row = self.used(row, at);
        Ok(true)
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        let has_id = |row: &ApiTokenRecord| {
            self.has_id(row, id) || self.mistake == DeleteIgnoresCase && row.id.eq_ignore_ascii_case(id)
        };
        let is_allowed = |row: &ApiTokenRecord| self.mistake == DeletesAnybodys || self.is_of(row, user_id);
        let deleted = self.delete_where(u32::MAX, |row| has_id(row) && is_allowed(row));
        Ok(deleted > 0)
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        let deleted = self.delete_where(u32::MAX, |row| self.is_of(row, user_id));
        Ok(if self.mistake == DeleteAllIsOne { deleted.min(1) } else { deleted })
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let is_gone = |row: &ApiTokenRecord| match self.mistake {
            EndIsNotExpired => row.expires_at < now,
            ExpiresEarly => row.expires_at <= now + Duration::from_secs(60),
            _ => row.expires_at <= now,
        };
        match self.mistake {
            ExpiredWithoutLimit if at_most > 0 => Ok(self.delete_where(u32::MAX, is_gone)),
            ExpiredAreOne => Ok(self.delete_where(at_most, is_gone).min(1)),
            _ => Ok(self.delete_where(at_most, is_gone)),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let mut checks = Checks::default();
    checks.each([
        (NoneIsAnError, "an_unknown_row_is_none", "`find_by_id` returned the error \"no rows returned\""),
        (
            OneForAUser,
            "rows_are_found_by_user",
            "`find_by_user` returned 1 tokens, not exactly the 3 of the user",
        ),
        (FiftyForAUser, "a_hundred_new_rows_are_stored", "`find_by_user` finds … of 100 tokens"),
        (
            UserIdsIgnoreCase,
            "user_ids_are_compared_exactly",
            "`find_by_user` of \"AS …\" finds a token of the user \"as …\", whose id differs in case",
        ),
        (
            LongUserIdsAreOne,
            "the_largest_values_have_room",
            "`find_by_user` finds a token of a user whose id of 512 bytes differs in its last character",
        ),
        (
            IdsIgnoreCase,
            "ids_are_compared_exactly",
            "after an `insert` of a token \"…1as\", whose id differs in case, `find_by_id` finds a token",
        ),
        (
            DeleteIgnoresCase,
            "ids_are_compared_exactly",
            "`delete` with the id \"…1AS\" returned true, with a token \"…1as\", whose id differs in case",
        ),
        (
            IdsArePadded,
            "ids_are_compared_exactly",
            "after an `insert` of a token \"…1as\", whose id differs by a space at its end, `find_by_id` finds a token",
        ),
        (
            NumbersForIds,
            "ids_are_compared_exactly",
            "after an `insert` of a token whose id is the same number, `find_by_id` finds a token",
        ),
        (
            NeverIsTheEpoch,
            "a_token_is_found_with_every_field",
            "after `insert`, `last_used_at` is 1970-01-01T00:00:00Z instead of null",
        ),
        (
            ScopesAreSorted,
            "scopes_are_found_in_their_order",
            "after `insert`, `scopes` is [\"orders\", \"orders:read\", \"orders:write\"] \
             instead of [\"orders:write\", \"orders:read\", \"orders\"]",
        ),
        (
            HashesEndAtZero,
            "hashes_are_stored_unchanged",
            "after `insert`, `secret_hash` is 0000… instead of 0001…",
        ),
        (OnlyValidTokens, "expired_tokens_are_found", "after `insert`, `find_by_id` does not find the token"),
        (ShortNames, "the_largest_values_have_room", "after `insert`, `name` is … instead of …"),
        (ShortScopes, "the_largest_values_have_room", "after `insert`, `scopes` is … instead of …"),
        (
            ThreeBytesACharacter,
            "texts_are_stored_unchanged",
            "after `insert`, `name` is \"\u{5218}\u{6d0b} ??\\u{200d}?\" instead of …",
        ),
        (
            WholeSeconds,
            "times_are_stored_to_the_millisecond",
            "after `insert`, `created_at` is 2026-11-18T11:06:41Z instead of 2026-11-18T11:06:41.789000000Z",
        ),
        (
            EndsInSeconds,
            "times_are_stored_to_the_millisecond",
            "after `insert`, `expires_at` is …Z instead of ….789000000Z",
        ),
        (UseMovesTheEnd, "a_use_writes_one_field", "after a `record_use`, `expires_at` is … instead of …"),
        (
            UseStaysLater,
            "a_use_writes_one_field",
            "after a `record_use`, `last_used_at` is 2026-11-18T11:21:42Z instead of 2026-11-18T11:13:42Z",
        ),
        (
            NullIsNotEarlier,
            "a_use_that_is_due_is_written",
            "`record_use` with the `before` 2026-11-18T11:11:42Z returned false, although `last_used_at` was null",
        ),
        (
            BeforeIsNotDue,
            "a_use_that_is_due_is_written",
            "`record_use` with the `before` 2026-11-18T11:11:42Z returned false, although `last_used_at` was \
             2026-11-18T11:11:42Z",
        ),
        (
            EveryUseIsWritten,
            "a_later_use_stays",
            "`record_use` with the `before` 2026-11-18T11:10:42Z returned true, although `last_used_at` was \
             2026-11-18T11:11:42Z",
        ),
        (
            SecondsAreCompared,
            "a_later_use_stays",
            "`record_use` with the `before` 2026-11-18T11:11:42Z returned true, although `last_used_at` was \
             2026-11-18T11:11:42.001000000Z",
        ),
        (
            CheckThenUse,
            "one_of_a_hundred_uses_succeeds",
            "… of 100 concurrent calls of `record_use` with one `before` returned true",
        ),
        (
            UseCreates,
            "a_use_of_nothing_creates_nothing",
            "`record_use` of a token that does not exist returned true",
        ),
        (
            UseWritesTheRow,
            "a_deleted_row_stays_deleted",
            "after a `delete` and a `record_use` at the same time, `find_by_id` finds a token",
        ),
        (
            InsertReplaces,
            "a_key_is_stored_once",
            "`insert` returned true although there is a token with this id",
        ),
        (
            CheckThenInsert,
            "one_of_a_hundred_inserts_succeeds",
            "… of 100 concurrent calls of `insert` with one id returned true",
        ),
        (
            MarkedAsDeleted,
            "a_deleted_id_can_be_stored_again",
            "`insert` returned false although `delete` has deleted the token with this id",
        ),
        (
            DeletesAnybodys,
            "a_deleted_row_is_gone",
            "`delete` returned true although the user has no token with this id",
        ),
        (DeleteAllIsOne, "all_rows_of_a_user_are_deleted", "`delete_all` of a user with 3 tokens returned 1"),
        (ExpiredWithoutLimit, "expired_tokens_are_deleted", "`delete_expired` of at most 1 token deleted 3"),
        (
            EndIsNotExpired,
            "expired_tokens_are_deleted",
            "`delete_expired` returned 0 and left 1 tokens with `expires_at` up to and including `now`",
        ),
        (
            ExpiresEarly,
            "expired_tokens_are_deleted",
            "after a `delete_expired` with a `now` that is a second before its end, `find_by_id` does not find the token",
        ),
        (
            ExpiredAreOne,
            "expired_tokens_are_deleted",
            "`delete_expired` deleted 2 tokens or more, and returned 1",
        ),
    ], |mistake| conformance::api_tokens(Tokens::new(mistake))).await;
    checks.end(&conformance::api_tokens(MemoryApiTokens::new()));
}
