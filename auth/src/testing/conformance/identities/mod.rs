//! The cases of [`IdentityRepository`].

mod reading;
mod uses;

use super::failures::{Broken, Operation};
use super::fresh::{at, id, token};
use super::rows::{self, CREATED, Field, Names, OwnedRow, OwnedRows, USED};
use super::suite::{Suite, cases};
use crate::repository::{IdentityRecord, IdentityRepository, IdentityUse};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::SystemTime;

cases! {
    IdentityCases {
        reading {
            an_identity_is_found_with_every_field: "`find_by_subject` and `find_by_user` return every field as it was stored, set or null, empty or not.";
            issuers_and_subjects_are_compared_exactly: "Issuers and subjects are compared byte by byte, and one may be the beginning of another. A column may need a binary collation.";
            each_issuer_has_its_own_subjects: "Identities of one subject at several issuers, and of several subjects at one issuer, are different identities, of whichever users.";
            the_largest_values_have_room: "There is room for a user id of 512 bytes, the name of a provider of 32 characters, an issuer of 255, a subject of 512 bytes, and an address of 254 bytes. An issuer and a subject can also be a single character.";
        }
        rows {
            an_unknown_row_is_none: "`find_by_subject` of an issuer and a subject that were not stored together is `Ok(None)`, and `find_by_user` of a user without identities finds none: neither is an error.";
            rows_are_found_by_user: "`find_by_user` returns all identities of the user, and nobody else's.";
            user_ids_are_compared_exactly: "User ids that differ in case, by an accent or by a space at the end are different users, in `find_by_user`, `delete` and `delete_all`.";
            ids_are_compared_exactly: "Ids that differ in case are different ids, in `record_use` and `delete`. A column may need a binary collation.";
            texts_are_stored_unchanged: "User ids and addresses are stored as they are, in any Unicode.";
            times_are_stored_to_the_millisecond: "Both times read back to the millisecond.";
        }
        uses {
            a_use_writes_its_two_fields: "`record_use` writes `email`, which can become null, and `last_used_at`, and nothing else.";
        }
        rows {
            a_use_that_changes_nothing_succeeds: "`record_use` returns true if the identity is there, also if nothing changes. On MySQL, the number of changed rows does not say that.";
            a_use_of_nothing_creates_nothing: "`record_use` of an identity that does not exist returns false and creates nothing.";
            a_key_is_stored_once: "`insert` returns false and changes nothing if there is an identity with this issuer and subject, of whichever user.";
            a_deleted_key_can_be_stored_again: "The issuer and subject of an identity that was deleted can be stored again, for any user.";
            a_deleted_row_is_gone: "`delete` deletes the user's identity with this id, and returns false and deletes nothing if the user has none, also if another user has.";
            all_rows_of_a_user_are_deleted: "`delete_all` deletes all identities of the user and nobody else's, and returns their number.";
            one_of_a_hundred_inserts_succeeds: "Of several calls of `insert` with one issuer and subject at the same time, exactly one returns true, and its identity is stored: a unique index does that.";
            a_deleted_row_stays_deleted: "An identity that was deleted stays deleted, whatever `record_use` does at the same time.";
            a_hundred_new_rows_are_stored: "Identities that are inserted at the same time are all there.";
        }
    }
    /// Checks an [`IdentityRepository`].
    pub fn identities<R: IdentityRepository>(repository: R) -> Suite<IdentityCases> {
        Suite::new(IdentityCases { repository: Arc::new(repository) }, cases())
    }
}

/// The cases for identities, which check these.
#[derive(Clone)]
pub struct IdentityCases {
    repository: Arc<dyn IdentityRepository>,
}

/// The issuer of the suite's identities. A database that is not empty can have others of it, but none of the suite's subjects.
const ISSUER: &str = "https://id.example.invalid";

impl OwnedRow for IdentityRecord {
    /// The issuer and the subject.
    type Key = (String, String);

    const NAMES: Names = Names {
        one: "identity",
        any: "an identity",
        many: "identities",
        key: "issuer and subject",
        find: "find_by_subject",
    };

    fn new(user: &str) -> Result<Self, Broken> {
        let mut identity = Self::new(id()?, user, ISSUER, token()?, at(CREATED));
        identity.provider = "example-2".to_owned();
        identity.email = Some("ada@example.org".to_owned());
        identity.last_used_at = Some(at(USED));
        Ok(identity)
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn user_id(&self) -> &str {
        &self.user_id
    }

    fn key(&self) -> Self::Key {
        (self.issuer.clone(), self.subject.clone())
    }

    fn unknown_keys(&self) -> Result<Vec<Self::Key>, Broken> {
        let Self { id, user_id, issuer, subject, .. } = self;
        let token = token()?;
        let unknown: [(&str, &str); 9] = [
            ("", ""),
            ("%", "%"),
            (issuer, ""),
            (issuer, "%"),
            (issuer, "' OR ''='"),
            (issuer, id),
            (issuer, user_id),
            (issuer, &token),
            (subject, issuer),
        ];
        Ok(unknown.map(|(issuer, subject)| (issuer.to_owned(), subject.to_owned())).to_vec())
    }

    fn with_id(self, id: String) -> Self {
        Self { id, ..self }
    }

    fn with_key(self, (issuer, subject): Self::Key) -> Self {
        Self { issuer, subject, ..self }
    }

    fn with_text(self, text: &str) -> Self {
        Self { email: Some(text.to_owned()), ..self }
    }

    fn with_times(self, created_at: SystemTime, last_used_at: SystemTime) -> Self {
        Self { created_at, last_used_at: Some(last_used_at), ..self }
    }

    fn fields(&self) -> Vec<(&'static str, Field)> {
        vec![
            ("id", Field::text(&self.id)),
            ("user_id", Field::text(&self.user_id)),
            ("provider", Field::text(&self.provider)),
            ("issuer", Field::text(&self.issuer)),
            ("subject", Field::text(&self.subject)),
            ("email", Field::optional(self.email.as_deref().map(Field::text))),
            ("created_at", Field::time(self.created_at)),
            ("last_used_at", Field::optional(self.last_used_at.map(Field::time))),
        ]
    }
}

/// An identity that nobody else has, with a value in every field.
fn identity(user: &str) -> Result<IdentityRecord, Broken> {
    <IdentityRecord as OwnedRow>::new(user)
}

#[async_trait]
impl OwnedRows for IdentityCases {
    type Row = IdentityRecord;

    async fn insert(&self, identity: IdentityRecord) -> Result<bool, Broken> {
        self.repository.insert(identity).await.of("insert")
    }

    async fn find(&self, (issuer, subject): &(String, String)) -> Result<Option<IdentityRecord>, Broken> {
        self.repository.find_by_subject(issuer, subject).await.of("find_by_subject")
    }

    async fn find_by_user(&self, user: &str) -> Result<Vec<IdentityRecord>, Broken> {
        self.repository.find_by_user(user).await.of("find_by_user")
    }

    async fn record(&self, id: &str, used: &IdentityRecord) -> Result<bool, Broken> {
        let last_used_at = used.last_used_at.unwrap_or(at(USED));
        self.record_use(id, &IdentityUse::new(used.email.clone(), last_used_at)).await
    }

    async fn write(&self, identity: &IdentityRecord, turn: usize) -> Result<&'static str, Broken> {
        let email = turn.is_multiple_of(2).then(|| format!("{turn}@example.org"));
        self.record_use(&identity.id, &IdentityUse::new(email, at(USED + 1_000))).await?;
        Ok("record_use")
    }

    async fn delete_of(&self, user: &str, id: &str) -> Result<bool, Broken> {
        self.repository.delete(user, id).await.of("delete")
    }

    async fn delete_all(&self, user: &str) -> Result<u64, Broken> {
        self.repository.delete_all(user).await.of("delete_all")
    }
}

impl IdentityCases {
    async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, Broken> {
        self.repository.record_use(id, seen).await.of("record_use")
    }
}
