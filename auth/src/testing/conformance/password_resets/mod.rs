//! The cases of [`PasswordResetRepository`].

mod tokens;

use super::failures::{Broken, Operation, ensure};
use super::fresh::{quoted, shown};
use super::suite::{Suite, cases};
use crate::repository::{PasswordResetRepository, StoredResetToken};
use std::sync::Arc;
use std::time::SystemTime;

cases! {
    PasswordResetCases {
        tokens {
            a_token_is_found_by_its_address: "`find_by_email` returns the hash and the time of `create_token`.";
            an_address_without_a_token_is_none: "`find_by_email` of an address without a token is `Ok(None)`, not an error.";
            a_new_token_replaces_the_previous_one: "`create_token` replaces the token of the address.";
            the_latest_call_wins_even_with_an_earlier_time: "`create_token` replaces the token of the address whatever the two times are: a clock may have been set back.";
            a_deleted_token_is_gone: "`delete_by_email` deletes the token of this address and of no other.";
            deleting_nothing_is_no_error: "`delete_by_email` of an address without a token succeeds.";
            addresses_are_compared_exactly: "A token belongs to the address with the same bytes. A column may need a binary collation.";
            texts_are_stored_unchanged: "Addresses and hashes are stored as they are: up to 512 bytes of any Unicode, and 255 characters of ASCII.";
            the_time_is_returned_unchanged: "`find_by_email` returns `created_at` to the millisecond, neither rounded nor in another time zone.";
            a_hundred_tokens_leave_one: "Of several calls of `create_token` for one address at the same time all succeed, and one token remains, with the hash and the time of one call.";
        }
    }
    /// Checks a [`PasswordResetRepository`].
    pub fn password_resets<R: PasswordResetRepository>(repository: R) -> Suite<PasswordResetCases> {
        Suite::new(PasswordResetCases { repository: Arc::new(repository) }, cases())
    }
}

/// The cases for reset tokens, which check these.
#[derive(Clone)]
pub struct PasswordResetCases {
    repository: Arc<dyn PasswordResetRepository>,
}

impl PasswordResetCases {
    async fn create(&self, email: &str, hash: &str, at: SystemTime) -> Result<(), Broken> {
        self.repository.create_token(email, hash, at).await.of("create_token")
    }

    async fn find(&self, email: &str) -> Result<Option<StoredResetToken>, Broken> {
        self.repository.find_by_email(email).await.of("find_by_email")
    }

    async fn delete(&self, email: &str) -> Result<(), Broken> {
        self.repository.delete_by_email(email).await.of("delete_by_email")
    }

    /// Fails unless this token is stored. `place` says where: `after …`.
    async fn must_be(&self, email: &str, hash: &str, at: SystemTime, place: &str) -> Result<(), Broken> {
        let missing =
            || Broken::new(format!("{place}, `find_by_email` finds no token for {}", quoted(email)));
        let found = self.find(email).await?.ok_or_else(missing)?;
        ensure!(
            found.token == hash,
            "{place}, the hash is {} instead of {}",
            quoted(&found.token),
            quoted(hash)
        );
        ensure!(
            found.created_at == at,
            "{place}, the time is {} instead of {}",
            shown(found.created_at),
            shown(at)
        );
        Ok(())
    }
}
