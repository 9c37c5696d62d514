//! The cases that hold for every repository of rows with an owner: each row has an id, a user, and a key that no other row has.
//!
//! A suite implements [`OwnedRow`] for its record and [`OwnedRows`] for its subject, lists these cases in its table with its own
//! words, and has its own cases beside them.

mod owners;
mod reading;
mod together;
mod uses;

pub(super) use owners::{
    a_deleted_key_can_be_stored_again, a_deleted_row_is_gone, a_key_is_stored_once,
    all_rows_of_a_user_are_deleted,
};
pub(super) use reading::{
    an_unknown_row_is_none, ids_are_compared_exactly, is_found, is_stored, keys_are_compared_exactly,
    rows_are_found_by_user, texts_are_stored_unchanged, times_are_stored_to_the_millisecond,
    user_ids_are_compared_exactly,
};
pub(super) use together::{
    MEETINGS, a_deleted_row_stays_deleted, a_hundred_new_rows_are_stored, one_of_a_hundred_inserts_succeeds,
};
pub(super) use uses::{a_use_of_nothing_creates_nothing, a_use_that_changes_nothing_succeeds};

use super::failures::{Broken, ensure};
use super::fresh::{quoted, shown, token};
use async_trait::async_trait;
use std::time::SystemTime;

/// The times of the suite's rows: whole seconds, so that an adapter that rounds fails the case about times alone.
pub(super) const CREATED: u64 = 1_795_000_001_000;
pub(super) const USED: u64 = 1_795_000_302_000;

/// A user that nobody else is.
pub(super) fn user() -> Result<String, Broken> {
    Ok(format!("conformance {}", token()?))
}

/// What sentences call a row and what belongs to it.
pub(super) struct Names {
    /// `passkey`.
    pub(super) one: &'static str,
    /// `a passkey`.
    pub(super) any: &'static str,
    /// `passkeys`.
    pub(super) many: &'static str,
    /// What no two rows have in common: `credential id`.
    pub(super) key: &'static str,
    /// The method that finds a row by its key: `find_by_credential_id`.
    pub(super) find: &'static str,
}

/// A row.
pub(super) trait OwnedRow: Clone + Send + Sync + 'static {
    /// What no two rows have in common.
    type Key: Clone + Send + Sync + 'static;

    const NAMES: Names;

    /// A row that nobody else has, with a value in every field: created at [`CREATED`], and last used at [`USED`].
    fn new(user: &str) -> Result<Self, Broken>;

    /// Its id.
    fn id(&self) -> &str;

    /// Its user's id.
    fn user_id(&self) -> &str;

    /// Its key.
    fn key(&self) -> Self::Key;

    /// Keys that no row has, and that a careless statement takes for this one's or for all.
    fn unknown_keys(&self) -> Result<Vec<Self::Key>, Broken>;

    /// The row with this id.
    fn with_id(self, id: String) -> Self;

    /// The row with this key.
    fn with_key(self, key: Self::Key) -> Self;

    /// The row with this text in a field that has any text.
    fn with_text(self, text: &str) -> Self;

    /// The row with these times.
    fn with_times(self, created_at: SystemTime, last_used_at: SystemTime) -> Self;

    /// Every field, as a sentence shows it.
    fn fields(&self) -> Vec<(&'static str, Field)>;
}

/// The value of a field, for a sentence.
#[derive(PartialEq)]
pub(super) enum Field {
    /// A text, which is shown in quotes.
    Text(String),
    /// Anything else, as it is shown.
    Other(String),
}

impl Field {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(super) fn time(time: SystemTime) -> Self {
        Self::Other(shown(time))
    }

    /// The value, or null.
    pub(super) fn optional(value: Option<Self>) -> Self {
        value.unwrap_or_else(|| Self::Other("null".to_owned()))
    }

    /// The value in a sentence. Credential ids and keys can have thousands of digits.
    fn shortened(&self) -> String {
        const CHARACTERS: usize = 80;
        match self {
            Self::Text(text) => quoted(text),
            Self::Other(value) => match value.char_indices().nth(CHARACTERS) {
                Some((end, _)) => {
                    let begin = value.get(..end).unwrap_or_default();
                    format!("{begin}… ({} characters)", value.chars().count())
                }
                None => value.clone(),
            },
        }
    }
}

/// The key of these rows.
pub(super) type Key<R> = <<R as OwnedRows>::Row as OwnedRow>::Key;

/// A suite's subject: the operations of its repository, and what the cases do with them.
#[async_trait]
pub(super) trait OwnedRows: Clone + Send + Sync + 'static {
    /// A row.
    type Row: OwnedRow;

    async fn insert(&self, row: Self::Row) -> Result<bool, Broken>;

    async fn find(&self, key: &Key<Self>) -> Result<Option<Self::Row>, Broken>;

    async fn find_by_user(&self, user: &str) -> Result<Vec<Self::Row>, Broken>;

    /// Calls `record_use` for the row with this id, with the last use that `used` has, and without a condition.
    async fn record(&self, id: &str, used: &Self::Row) -> Result<bool, Broken>;

    /// Calls an operation that writes fields of this row: one after the other, by turns. Returns the operation's name.
    async fn write(&self, row: &Self::Row, turn: usize) -> Result<&'static str, Broken>;

    async fn delete_of(&self, user: &str, id: &str) -> Result<bool, Broken>;

    async fn delete_all(&self, user: &str) -> Result<u64, Broken>;

    /// Stores a row of a new user.
    async fn create(&self) -> Result<Self::Row, Broken> {
        self.store(Self::Row::new(&user()?)?).await
    }

    /// Stores a row whose key is new.
    async fn store(&self, row: Self::Row) -> Result<Self::Row, Broken> {
        let Names { one, key, .. } = Self::Row::NAMES;
        let inserted = self.insert(row.clone()).await?;
        ensure!(inserted, "`insert` returned false although no {one} has this {key}");
        Ok(row)
    }

    /// The ids of a user's rows, sorted.
    async fn of_user(&self, user: &str) -> Result<Vec<String>, Broken> {
        let mut ids: Vec<_> =
            self.find_by_user(user).await?.into_iter().map(|row| row.id().to_owned()).collect();
        ids.sort();
        Ok(ids)
    }

    async fn delete(&self, row: &Self::Row) -> Result<bool, Broken> {
        self.delete_of(row.user_id(), row.id()).await
    }

    /// Fails unless the stored row is this one. `place` says where: `after …`.
    async fn must_be(&self, expected: &Self::Row, place: &str) -> Result<(), Broken> {
        let Names { one, find, .. } = Self::Row::NAMES;
        let missing = || Broken::new(format!("{place}, `{find}` does not find the {one}"));
        must_be(&self.find(&expected.key()).await?.ok_or_else(missing)?, expected, place)
    }

    /// Fails if there is a row with this key.
    async fn must_be_none(&self, key: &Key<Self>, place: &str) -> Result<(), Broken> {
        let Names { any, find, .. } = Self::Row::NAMES;
        let found = self.find(key).await?;
        ensure!(found.is_none(), "{place}, `{find}` finds {any}");
        Ok(())
    }
}

/// Fails if a field of the row differs.
fn must_be<R: OwnedRow>(found: &R, expected: &R, place: &str) -> Result<(), Broken> {
    fields_must_be(found.fields(), expected.fields(), place)
}

/// Fails if a field differs.
pub(super) fn fields_must_be(
    found: Vec<(&'static str, Field)>,
    expected: Vec<(&'static str, Field)>,
    place: &str,
) -> Result<(), Broken> {
    for ((field, found), (_, expected)) in found.into_iter().zip(expected) {
        ensure!(
            found == expected,
            "{place}, `{field}` is {} instead of {}",
            found.shortened(),
            expected.shortened()
        );
    }
    Ok(())
}
