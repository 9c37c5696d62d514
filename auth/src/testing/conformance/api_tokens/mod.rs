//! The cases of [`ApiTokenRepository`].

mod deletion;
mod reading;
mod uses;

use super::failures::{Broken, Operation};
use super::fresh::{at, bytes, token as unique};
use super::rows::{self, CREATED, Field, Names, OwnedRow, OwnedRows, USED};
use super::suite::{Suite, cases};
use crate::crypto::random;
use crate::repository::{ApiTokenRecord, ApiTokenRepository};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

cases! {
    ApiTokenCases {
        reading {
            a_token_is_found_with_every_field: "`find_by_id` and `find_by_user` return every field as it was stored, and `last_used_at` as null if it is null.";
            scopes_are_found_in_their_order: "The scopes of a token are found as they were stored, one or several, in their order.";
            hashes_are_stored_unchanged: "A hash is 32 bytes of any kind, also 0 and those of a space, wherever they are in it.";
            expired_tokens_are_found: "`find_by_id` and `find_by_user` also find tokens that have expired.";
            ids_are_compared_exactly: "Ids are compared byte by byte: those that differ in case are different ids, in `insert`, `find_by_id`, `record_use` and `delete`. A column may need a binary collation.";
            the_largest_values_have_room: "There is room for a user id of 512 bytes, a name of 64 characters of four bytes, and 64 scopes of 64 characters.";
        }
        rows {
            an_unknown_row_is_none: "`find_by_id` of an id that was not stored is `Ok(None)`, and `find_by_user` of a user without tokens finds none: neither is an error.";
            rows_are_found_by_user: "`find_by_user` returns all tokens of the user, and nobody else's.";
            user_ids_are_compared_exactly: "User ids that differ in case, by an accent or by a space at the end are different users, in `find_by_user`, `delete` and `delete_all`.";
            texts_are_stored_unchanged: "User ids and names are stored as they are, in any Unicode.";
            times_are_stored_to_the_millisecond: "All three times read back to the millisecond.";
        }
        uses {
            a_use_writes_one_field: "`record_use` writes `at` as `last_used_at`, also if that was later, and nothing else.";
            a_use_that_is_due_is_written: "`record_use` writes and returns true if `last_used_at` is null, or `before` or earlier. In SQL, `last_used_at <= ?` does not hold for null.";
            a_later_use_stays: "`record_use` returns false and changes nothing if `last_used_at` is later than `before`, also if it is so by a millisecond.";
        }
        rows {
            a_use_of_nothing_creates_nothing: "`record_use` of a token that does not exist returns false and creates nothing.";
        }
        uses {
            one_of_a_hundred_uses_succeeds: "Of several calls of `record_use` with one `before` at the same time, exactly one returns true, and its `at` is stored, as with `UPDATE … WHERE last_used_at <= …`.";
        }
        rows {
            a_key_is_stored_once: "`insert` returns false and changes nothing if there is a token with this id, of whichever user.";
        }
        deletion {
            a_deleted_id_can_be_stored_again: "The id of a token that was deleted can be stored again, for any user.";
        }
        rows {
            a_deleted_row_is_gone: "`delete` deletes the user's token with this id, and returns false and deletes nothing if the user has none, also if another user has.";
            all_rows_of_a_user_are_deleted: "`delete_all` deletes all tokens of the user and nobody else's, and returns their number.";
        }
        deletion {
            expired_tokens_are_deleted: "`delete_expired` deletes tokens with `expires_at` up to and including `now`, of all users, at most so many, and returns their number, which is 0 only if none is left.";
        }
        rows {
            one_of_a_hundred_inserts_succeeds: "Of several calls of `insert` with one id at the same time, exactly one returns true, and its token is stored: a primary key does that.";
            a_deleted_row_stays_deleted: "A token that was deleted stays deleted, whatever `record_use` does at the same time.";
            a_hundred_new_rows_are_stored: "Tokens that are inserted at the same time are all there.";
        }
    }
    /// Checks an [`ApiTokenRepository`].
    pub fn api_tokens<R: ApiTokenRepository>(repository: R) -> Suite<ApiTokenCases> {
        Suite::new(ApiTokenCases { repository: Arc::new(repository) }, cases())
    }
}

/// The cases for API tokens, which check these.
#[derive(Clone)]
pub struct ApiTokenCases {
    repository: Arc<dyn ApiTokenRepository>,
}

/// The characters of an id.
const BASE62: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// How long a token is valid: long enough that the clean-up of a running host does not reach those of the suite, and in whole seconds.
const LIFETIME: Duration = Duration::from_secs(2_205_000_002);

/// A random text of so many of these characters.
fn characters(number: usize, of: &[u8]) -> Result<String, Broken> {
    random::text(number, of).map_err(|error| Broken::new(error.to_string()))
}

impl OwnedRow for ApiTokenRecord {
    /// The id.
    type Key = String;

    const NAMES: Names =
        Names { one: "token", any: "a token", many: "tokens", key: "id", find: "find_by_id" };

    fn new(user: &str) -> Result<Self, Broken> {
        let created_at = at(CREATED);
        let mut token = Self::new(characters(12, BASE62)?, user, bytes()?, created_at, created_at + LIFETIME);
        token.name = "Ada's backup".to_owned();
        token.scopes = ["orders:read", "orders:write"].map(str::to_owned).to_vec();
        token.last_four = characters(4, BASE62)?;
        token.last_used_at = Some(at(USED));
        Ok(token)
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn user_id(&self) -> &str {
        &self.user_id
    }

    fn key(&self) -> String {
        self.id.clone()
    }

    fn unknown_keys(&self) -> Result<Vec<String>, Broken> {
        let Self { user_id, name, last_four, .. } = self;
        let (id, token) = (characters(12, BASE62)?, unique()?);
        let unknown: [&str; 9] = ["", "%", "_", "____________", "' OR ''='", user_id, name, &id, &token];
        Ok(unknown.into_iter().chain([last_four.as_str()]).map(str::to_owned).collect())
    }

    fn with_id(self, id: String) -> Self {
        Self { id, ..self }
    }

    fn with_key(self, id: String) -> Self {
        self.with_id(id)
    }

    fn with_text(self, text: &str) -> Self {
        Self { name: text.to_owned(), ..self }
    }

    fn with_times(self, created_at: SystemTime, last_used_at: SystemTime) -> Self {
        Self { created_at, expires_at: created_at + LIFETIME, last_used_at: Some(last_used_at), ..self }
    }

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("id", Field::text(&self.id)),
            ("user_id", Field::text(&self.user_id)),
            ("name", Field::text(&self.name)),
            ("scopes", Field::Other(format!("{:?}", self.scopes))),
            ("secret_hash", Field::Other(random::hex_of(&self.secret_hash))),
            ("last_four", Field::text(&self.last_four)),
            ("created_at", Field::time(self.created_at)),
            ("expires_at", Field::time(self.expires_at)),
            ("last_used_at", Field::optional(self.last_used_at.map(Field::time))),
        ]
    }
}

/// A token that nobody else has, with a value in every field.
fn token(user: &str) -> Result<ApiTokenRecord, Broken> {
    <ApiTokenRecord as OwnedRow>::new(user)
}

/// Such a token that expires at this time, in milliseconds since 1970.
fn ending(user: &str, expires_at: u64) -> Result<ApiTokenRecord, Broken> {
    let mut token = token(user)?;
    (token.created_at, token.expires_at) = (at(expires_at - 86_400_000), at(expires_at));
    token.last_used_at = None;
    Ok(token)
}

#[async_trait]
impl OwnedRows for ApiTokenCases {
    type Row = ApiTokenRecord;

    async fn insert(&self, token: ApiTokenRecord) -> Result<bool, Broken> {
        self.repository.insert(token).await.of("insert")
    }

    async fn find(&self, id: &String) -> Result<Option<ApiTokenRecord>, Broken> {
        self.repository.find_by_id(id).await.of("find_by_id")
    }

    async fn find_by_user(&self, user: &str) -> Result<Vec<ApiTokenRecord>, Broken> {
        self.repository.find_by_user(user).await.of("find_by_user")
    }

    /// The shared cases record no use before the one that is stored, so that this one is due.
    async fn record(&self, id: &str, used: &ApiTokenRecord) -> Result<bool, Broken> {
        let last_used_at = used.last_used_at.unwrap_or(at(USED));
        self.record_use(id, last_used_at, last_used_at).await
    }

    async fn write(&self, token: &ApiTokenRecord, turn: usize) -> Result<&'static str, Broken> {
        self.record_use(&token.id, at(USED), at(USED + 60_000 + turn as u64)).await?;
        Ok("record_use")
    }

    async fn delete_of(&self, user: &str, id: &str) -> Result<bool, Broken> {
        self.repository.delete(user, id).await.of("delete")
    }

    async fn delete_all(&self, user: &str) -> Result<u64, Broken> {
        self.repository.delete_all(user).await.of("delete_all")
    }
}

impl ApiTokenCases {
    async fn record_use(&self, id: &str, before: SystemTime, at: SystemTime) -> Result<bool, Broken> {
        self.repository.record_use(id, before, at).await.of("record_use")
    }
}
