//! The cases of [`PasskeyRepository`].

mod reading;
mod renames;
mod uses;

use super::failures::{Broken, Operation};
use super::fresh::{at, bytes, id};
use super::rows::{self, CREATED, Field, Names, OwnedRow, OwnedRows, USED};
use super::suite::{Suite, cases};
use crate::crypto::random;
use crate::repository::{PasskeyRecord, PasskeyRepository, PasskeyUse};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::SystemTime;

cases! {
    PasskeyCases {
        reading {
            a_passkey_is_found_with_every_field: "`find_by_credential_id` and `find_by_user` return every field as it was stored, set or null, empty or not.";
            credential_ids_are_compared_exactly: "Credential ids are compared byte by byte, zero bytes included, and one may be the beginning of another.";
            the_largest_values_have_room: "There is room for a credential id of 1023 bytes, a public key of 2048, a user id of 512, an `rp_id` of 253 characters, a name of 64 characters of four bytes, and 8 transports of 32 characters. A credential id can also be a single byte.";
            counters_have_32_bits: "Counters up to 4294967295 read back unchanged, and are compared with the expected one.";
        }
        rows {
            an_unknown_row_is_none: "`find_by_credential_id` of bytes that are no credential id is `Ok(None)`, and `find_by_user` of a user without passkeys finds none: neither is an error.";
            rows_are_found_by_user: "`find_by_user` returns all passkeys of the user, and nobody else's.";
            user_ids_are_compared_exactly: "User ids that differ in case, by an accent or by a space at the end are different users, in `find_by_user`, `delete` and `delete_all`.";
            ids_are_compared_exactly: "Ids that differ in case are different ids, in `record_use` and `delete`. A column may need a binary collation.";
            texts_are_stored_unchanged: "User ids and names are stored as they are, in any Unicode.";
            times_are_stored_to_the_millisecond: "Both times read back to the millisecond.";
        }
        uses {
            a_use_writes_its_three_fields: "`record_use` writes `counter`, `backed_up` and `last_used_at`, and nothing else. If no counter is expected, it can become smaller.";
            a_use_requires_the_expected_counter: "`record_use` returns false and writes nothing if the counter is not the expected one, or if the passkey does not exist. It returns true if the counter is the expected one, also if nothing changes.";
        }
        rows {
            a_use_that_changes_nothing_succeeds: "`record_use` returns true if the passkey is there, also if nothing changes. On MySQL, the number of changed rows does not say that.";
            a_use_of_nothing_creates_nothing: "`record_use` of a passkey that does not exist returns false and creates nothing.";
            a_key_is_stored_once: "`insert` returns false and changes nothing if there is a passkey with this credential id, of whichever user.";
            a_deleted_key_can_be_stored_again: "The credential id of a passkey that was deleted can be stored again, for any user.";
        }
        renames {
            a_rename_writes_the_name: "`rename` writes the name and nothing else, and returns true, also if nothing changes.";
            a_rename_needs_the_user: "`rename` returns false and writes nothing if the user has no passkey with this id, also if another user has. User ids and ids are compared byte by byte.";
        }
        rows {
            a_deleted_row_is_gone: "`delete` deletes the user's passkey with this id, and returns false and deletes nothing if the user has none, also if another user has.";
            all_rows_of_a_user_are_deleted: "`delete_all` deletes all passkeys of the user and nobody else's, and returns their number.";
            one_of_a_hundred_inserts_succeeds: "Of several calls of `insert` with one credential id at the same time, exactly one returns true, and its passkey is stored: a unique index does that.";
        }
        uses {
            one_of_a_hundred_uses_succeeds: "Of several calls of `record_use` with one expected counter at the same time, exactly one returns true, as with `UPDATE … WHERE counter = …`.";
        }
        rows {
            a_deleted_row_stays_deleted: "A passkey that was deleted stays deleted, whatever `record_use` and `rename` do at the same time.";
        }
        renames {
            a_use_does_not_undo_a_rename: "`record_use` and `rename` write only their fields, not a passkey that they have read before.";
        }
        rows {
            a_hundred_new_rows_are_stored: "Passkeys that are inserted at the same time are all there.";
        }
    }
    /// Checks a [`PasskeyRepository`].
    pub fn passkeys<R: PasskeyRepository>(repository: R) -> Suite<PasskeyCases> {
        Suite::new(PasskeyCases { repository: Arc::new(repository) }, cases())
    }
}

/// The cases for passkeys, which check these.
#[derive(Clone)]
pub struct PasskeyCases {
    repository: Arc<dyn PasskeyRepository>,
}

impl OwnedRow for PasskeyRecord {
    type Key = Vec<u8>;

    const NAMES: Names = Names {
        one: "passkey",
        any: "a passkey",
        many: "passkeys",
        key: "credential id",
        find: "find_by_credential_id",
    };

    fn new(user: &str) -> Result<Self, Broken> {
        let mut passkey = Self::new(id()?, user, bytes::<32>()?, bytes::<77>()?, at(CREATED));
        passkey.user_handle = bytes::<32>()?.to_vec();
        passkey.rp_id = "example.com".to_owned();
        passkey.name = "Ada's phone".to_owned();
        passkey.aaguid = Some(bytes()?);
        passkey.transports = ["internal", "hybrid"].map(str::to_owned).to_vec();
        passkey.counter = 7;
        passkey.last_used_at = Some(at(USED));
        Ok(passkey)
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn user_id(&self) -> &str {
        &self.user_id
    }

    fn key(&self) -> Vec<u8> {
        self.credential_id.clone()
    }

    fn unknown_keys(&self) -> Result<Vec<Vec<u8>>, Broken> {
        let texts = ["", "' OR ''='", "%", &self.id, &self.user_id];
        Ok(texts.into_iter().map(|text| text.as_bytes().to_vec()).chain([bytes::<32>()?.to_vec()]).collect())
    }

    fn with_id(self, id: String) -> Self {
        Self { id, ..self }
    }

    fn with_key(self, credential_id: Vec<u8>) -> Self {
        Self { credential_id, ..self }
    }

    fn with_text(self, text: &str) -> Self {
        Self { name: text.to_owned(), ..self }
    }

    fn with_times(self, created_at: SystemTime, last_used_at: SystemTime) -> Self {
        Self { created_at, last_used_at: Some(last_used_at), ..self }
    }

    fn fields(&self) -> Vec<(&'static str, Field)> {
        let bytes = |bytes: &[u8]| Field::Other(random::hex_of(bytes));
        vec![
            ("id", Field::text(&self.id)),
            ("user_id", Field::text(&self.user_id)),
            ("rp_id", Field::text(&self.rp_id)),
            ("name", Field::text(&self.name)),
            ("credential_id", bytes(&self.credential_id)),
            ("public_key", bytes(&self.public_key)),
            ("user_handle", bytes(&self.user_handle)),
            ("aaguid", Field::optional(self.aaguid.map(|model| bytes(&model)))),
            ("transports", Field::Other(format!("{:?}", self.transports))),
            ("counter", Field::Other(self.counter.to_string())),
            ("backup_eligible", Field::Other(self.backup_eligible.to_string())),
            ("backed_up", Field::Other(self.backed_up.to_string())),
            ("created_at", Field::time(self.created_at)),
            ("last_used_at", Field::optional(self.last_used_at.map(Field::time))),
        ]
    }
}

/// A passkey that nobody else has, with a value in every field.
fn passkey(user: &str) -> Result<PasskeyRecord, Broken> {
    <PasskeyRecord as OwnedRow>::new(user)
}

#[async_trait]
impl OwnedRows for PasskeyCases {
    type Row = PasskeyRecord;

    async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, Broken> {
        self.repository.insert(passkey).await.of("insert")
    }

    async fn find(&self, credential_id: &Vec<u8>) -> Result<Option<PasskeyRecord>, Broken> {
        self.repository.find_by_credential_id(credential_id).await.of("find_by_credential_id")
    }

    async fn find_by_user(&self, user: &str) -> Result<Vec<PasskeyRecord>, Broken> {
        self.repository.find_by_user(user).await.of("find_by_user")
    }

    async fn record(&self, id: &str, used: &PasskeyRecord) -> Result<bool, Broken> {
        let last_used_at = used.last_used_at.unwrap_or(at(USED));
        self.record_use(id, None, &PasskeyUse::new(used.counter, used.backed_up, last_used_at)).await
    }

    async fn write(&self, passkey: &PasskeyRecord, turn: usize) -> Result<&'static str, Broken> {
        let seen = PasskeyUse::new(passkey.counter + 1, true, at(USED + 1_000));
        if turn % 3 == 2 {
            self.rename(&passkey.user_id, &passkey.id, "new").await?;
            return Ok("rename");
        }
        self.record_use(&passkey.id, (turn % 3 == 1).then_some(passkey.counter), &seen).await?;
        Ok("record_use")
    }

    async fn delete_of(&self, user: &str, id: &str) -> Result<bool, Broken> {
        self.repository.delete(user, id).await.of("delete")
    }

    async fn delete_all(&self, user: &str) -> Result<u64, Broken> {
        self.repository.delete_all(user).await.of("delete_all")
    }
}

impl PasskeyCases {
    async fn record_use(&self, id: &str, expected: Option<u32>, seen: &PasskeyUse) -> Result<bool, Broken> {
        self.repository.record_use(id, expected, seen).await.of("record_use")
    }

    async fn rename(&self, user: &str, id: &str, name: &str) -> Result<bool, Broken> {
        self.repository.rename(user, id, name).await.of("rename")
    }
}
