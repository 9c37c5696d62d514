//! The cases of [`PasskeyRepository`].

mod owners;
mod reading;
mod together;
mod uses;

use super::failures::{Broken, Operation, ensure};
use super::fresh::{at, bytes, id, quoted, shown, token};
use super::suite::{Suite, cases};
use crate::crypto::random;
use crate::repository::{PasskeyRecord, PasskeyRepository, PasskeyUse};
use std::sync::Arc;

cases! {
    PasskeyCases {
        reading {
            a_passkey_is_found_with_every_field: "`find_by_credential_id` and `find_by_user` return every field as it was stored, set or null, empty or not.";
            an_unknown_passkey_is_none: "`find_by_credential_id` of bytes that are no credential id is `Ok(None)`, and `find_by_user` of a user without passkeys finds none: neither is an error.";
            passkeys_are_found_by_user: "`find_by_user` returns all passkeys of the user, and nobody else's.";
            user_ids_are_compared_exactly: "User ids that differ in case, by an accent or by a space at the end are different users, in `find_by_user`, `rename`, `delete` and `delete_all`.";
            ids_are_compared_exactly: "Ids that differ in case are different ids, in `record_use`, `rename` and `delete`. A column may need a binary collation.";
            credential_ids_are_compared_exactly: "Credential ids are compared byte by byte, zero bytes included, and one may be the beginning of another.";
            texts_are_stored_unchanged: "User ids and names are stored as they are, in any Unicode.";
            the_largest_values_have_room: "There is room for a credential id of 1023 bytes, a public key of 2048, a user id of 512, an `rp_id` of 253 characters, a name of 64 characters of four bytes, and 8 transports of 32 characters. A credential id can also be a single byte.";
            counters_have_32_bits: "Counters up to 4294967295 read back unchanged, and are compared with the expected one.";
            times_are_stored_to_the_millisecond: "Both times read back to the millisecond.";
        }
        uses {
            a_use_writes_its_three_fields: "`record_use` writes `counter`, `backed_up` and `last_used_at`, and nothing else. If no counter is expected, it can become smaller.";
            a_use_requires_the_expected_counter: "`record_use` returns false and writes nothing if the counter is not the expected one.";
            a_use_that_changes_nothing_succeeds: "`record_use` returns true if the passkey is there with the expected counter, also if nothing changes. On MySQL, the number of changed rows does not say that.";
            a_use_of_nothing_creates_nothing: "`record_use` of a passkey that does not exist returns false and creates nothing.";
        }
        owners {
            a_credential_is_stored_once: "`insert` returns false and changes nothing if there is a passkey with this credential id, of whichever user.";
            a_deleted_credential_can_be_stored_again: "The credential id of a passkey that was deleted can be stored again, for any user.";
            a_rename_writes_the_name: "`rename` writes the name and nothing else, and returns true, also if nothing changes.";
            a_rename_needs_the_user: "`rename` returns false and writes nothing if the user has no passkey with this id, also if another user has.";
            a_deleted_passkey_is_gone: "`delete` deletes the user's passkey with this id, and returns false and deletes nothing if the user has none, also if another user has.";
            all_passkeys_of_a_user_are_deleted: "`delete_all` deletes all passkeys of the user and nobody else's, and returns their number.";
        }
        together {
            one_of_a_hundred_inserts_succeeds: "Of several calls of `insert` with one credential id at the same time, exactly one returns true, and its passkey is stored: a unique index does that.";
            one_of_a_hundred_uses_succeeds: "Of several calls of `record_use` with one expected counter at the same time, exactly one returns true, as with `UPDATE … WHERE counter = …`.";
            a_deleted_passkey_stays_deleted: "A passkey that was deleted stays deleted, whatever `record_use` and `rename` do at the same time.";
            a_use_does_not_undo_a_rename: "`record_use` and `rename` write only their fields, not a passkey that they have read before.";
            a_hundred_new_passkeys_are_stored: "Passkeys that are inserted at the same time are all there.";
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

/// The times of the suite's passkeys: whole seconds, so that an adapter that rounds fails the case about times alone.
const REGISTERED: u64 = 1_795_000_001_000;
const USED: u64 = 1_795_000_302_000;

/// A user that nobody else is.
fn user() -> Result<String, Broken> {
    Ok(format!("conformance {}", token()?))
}

/// A passkey that nobody else has, with a value in every field.
fn passkey(user: &str) -> Result<PasskeyRecord, Broken> {
    let mut passkey = PasskeyRecord::new(id()?, user, bytes::<32>()?, bytes::<77>()?, at(REGISTERED));
    passkey.user_handle = bytes::<32>()?.to_vec();
    passkey.rp_id = "example.com".to_owned();
    passkey.name = "Ada's phone".to_owned();
    passkey.aaguid = Some(bytes()?);
    passkey.transports = ["internal", "hybrid"].map(str::to_owned).to_vec();
    passkey.counter = 7;
    passkey.last_used_at = Some(at(USED));
    Ok(passkey)
}

impl PasskeyCases {
    /// Stores a passkey of a new user.
    async fn create(&self) -> Result<PasskeyRecord, Broken> {
        self.store(passkey(&user()?)?).await
    }

    /// Stores a passkey whose credential id is new.
    async fn store(&self, passkey: PasskeyRecord) -> Result<PasskeyRecord, Broken> {
        let inserted = self.insert(passkey.clone()).await?;
        ensure!(inserted, "`insert` returned false although no passkey has this credential id");
        Ok(passkey)
    }

    async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, Broken> {
        self.repository.insert(passkey).await.of("insert")
    }

    async fn find(&self, credential_id: &[u8]) -> Result<Option<PasskeyRecord>, Broken> {
        self.repository.find_by_credential_id(credential_id).await.of("find_by_credential_id")
    }

    async fn find_by_user(&self, user: &str) -> Result<Vec<PasskeyRecord>, Broken> {
        self.repository.find_by_user(user).await.of("find_by_user")
    }

    /// The ids of a user's passkeys, sorted.
    async fn of_user(&self, user: &str) -> Result<Vec<String>, Broken> {
        let mut ids: Vec<_> = self.find_by_user(user).await?.into_iter().map(|passkey| passkey.id).collect();
        ids.sort();
        Ok(ids)
    }

    async fn record_use(&self, id: &str, expected: Option<u32>, seen: &PasskeyUse) -> Result<bool, Broken> {
        self.repository.record_use(id, expected, seen).await.of("record_use")
    }

    async fn rename(&self, user: &str, id: &str, name: &str) -> Result<bool, Broken> {
        self.repository.rename(user, id, name).await.of("rename")
    }

    async fn delete(&self, passkey: &PasskeyRecord) -> Result<bool, Broken> {
        self.delete_of(&passkey.user_id, &passkey.id).await
    }

    async fn delete_of(&self, user: &str, id: &str) -> Result<bool, Broken> {
        self.repository.delete(user, id).await.of("delete")
    }

    async fn delete_all(&self, user: &str) -> Result<u64, Broken> {
        self.repository.delete_all(user).await.of("delete_all")
    }

    /// Fails unless the stored passkey is this one. `place` says where: `after …`.
    async fn must_be(&self, expected: &PasskeyRecord, place: &str) -> Result<(), Broken> {
        let missing = || Broken::new(format!("{place}, `find_by_credential_id` does not find the passkey"));
        must_be(&self.find(&expected.credential_id).await?.ok_or_else(missing)?, expected, place)
    }

    /// Fails if there is a passkey with this credential id.
    async fn must_be_none(&self, credential_id: &[u8], place: &str) -> Result<(), Broken> {
        let found = self.find(credential_id).await?;
        ensure!(found.is_none(), "{place}, `find_by_credential_id` finds a passkey");
        Ok(())
    }
}

/// Fails if a field of the passkey differs.
fn must_be(found: &PasskeyRecord, expected: &PasskeyRecord, place: &str) -> Result<(), Broken> {
    fn texts(passkey: &PasskeyRecord) -> [(&'static str, &str); 4] {
        [
            ("id", &passkey.id),
            ("user_id", &passkey.user_id),
            ("rp_id", &passkey.rp_id),
            ("name", &passkey.name),
        ]
    }
    fn others(passkey: &PasskeyRecord) -> [(&'static str, String); 10] {
        let null = || "null".to_owned();
        [
            ("credential_id", random::hex_of(&passkey.credential_id)),
            ("public_key", random::hex_of(&passkey.public_key)),
            ("user_handle", random::hex_of(&passkey.user_handle)),
            ("aaguid", passkey.aaguid.map_or_else(null, |model| random::hex_of(&model))),
            ("transports", format!("{:?}", passkey.transports)),
            ("counter", passkey.counter.to_string()),
            ("backup_eligible", passkey.backup_eligible.to_string()),
            ("backed_up", passkey.backed_up.to_string()),
            ("created_at", shown(passkey.created_at)),
            ("last_used_at", passkey.last_used_at.map_or_else(null, shown)),
        ]
    }
    for ((field, found), (_, expected)) in texts(found).into_iter().zip(texts(expected)) {
        ensure!(found == expected, "{place}, `{field}` is {} instead of {}", quoted(found), quoted(expected));
    }
    for ((field, found), (_, expected)) in others(found).into_iter().zip(others(expected)) {
        ensure!(
            found == expected,
            "{place}, `{field}` is {} instead of {}",
            shortened(&found),
            shortened(&expected)
        );
    }
    Ok(())
}

/// A value for a sentence. Credential ids and keys can have thousands of digits.
fn shortened(value: &str) -> String {
    const CHARACTERS: usize = 80;
    match value.char_indices().nth(CHARACTERS) {
        Some((end, _)) => {
            format!("{}… ({} characters)", value.get(..end).unwrap_or_default(), value.chars().count())
        }
        None => value.to_owned(),
    }
}
