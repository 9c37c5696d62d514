//! Repositories of reset tokens with one mistake each.

use super::Checks;
use crate::repository::{PasswordResetRepository, RepositoryError, StoredResetToken};
use crate::testing::{MemoryPasswordResets, conformance};
use async_trait::async_trait;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::yield_now;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// `INSERT … ON CONFLICT DO NOTHING`.
    FirstStays,
    /// `ON CONFLICT … WHERE created_at < excluded.created_at`.
    NewestTimeWins,
    /// A `DATETIME` without fractions, which MySQL rounds.
    RoundedSeconds,
    /// A collation that ignores case.
    CaseIgnored,
    /// `fetch_one`, whose error for no row is passed on.
    NoneIsAnError,
    /// Deleting nothing is an error, as with a check of the number of rows.
    DeleteRequiresARow,
    /// The hash and the time are written in two statements.
    TwoStatements,
    /// The time of the database is stored, instead of the library's.
    OwnTime,
}
use Mistake::{
    CaseIgnored, DeleteRequiresARow, FirstStays, NewestTimeWins, NoneIsAnError, OwnTime, RoundedSeconds,
    TwoStatements,
};

#[derive(Clone)]
struct Resets {
    tokens: MemoryPasswordResets,
    mistake: Mistake,
}

impl Resets {
    fn key(&self, email: &str) -> String {
        if self.mistake == CaseIgnored { email.to_lowercase() } else { email.to_owned() }
    }
}

#[async_trait]
impl PasswordResetRepository for Resets {
    async fn create_token(&self, email: &str, hash: &str, at: SystemTime) -> Result<(), RepositoryError> {
        let key = self.key(email);
        let stored = self.tokens.find_by_email(&key).await?;
        let at = match (self.mistake, stored) {
            (FirstStays, Some(_)) => return Ok(()),
            (NewestTimeWins, Some(stored)) if stored.created_at >= at => return Ok(()),
            (RoundedSeconds, _) => {
                let since = at.duration_since(UNIX_EPOCH).unwrap_or_default() + Duration::from_millis(500);
                UNIX_EPOCH + Duration::from_secs(since.as_secs())
            }
            (TwoStatements, stored) => {
                let before = stored.map_or(at, |stored| stored.created_at);
                self.tokens.create_token(&key, hash, before).await?;
                yield_now().await;
                let hash =
                    self.tokens.find_by_email(&key).await?.map(|stored| stored.token).unwrap_or_default();
                return self.tokens.create_token(&key, &hash, at).await;
            }
            (OwnTime, _) => SystemTime::now(),
            _ => at,
        };
        self.tokens.create_token(&key, hash, at).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        match self.tokens.find_by_email(&self.key(email)).await? {
            None if self.mistake == NoneIsAnError => Err(RepositoryError::other("no rows returned")),
            found => Ok(found),
        }
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        let key = self.key(email);
        if self.mistake == DeleteRequiresARow && self.tokens.find_by_email(&key).await?.is_none() {
            return Err(RepositoryError::other("0 rows were deleted"));
        }
        self.tokens.delete_by_email(&key).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let mut checks = Checks::default();
    checks.each([
        (
            FirstStays,
            "a_new_token_replaces_the_previous_one",
            "after another `create_token`, the hash is \"hash 0\" instead of \"hash 1\"",
        ),
        (
            NewestTimeWins,
            "the_latest_call_wins_even_with_an_earlier_time",
            "after a `create_token` with an earlier or the same time, the hash is \"first\" instead of \"second\"",
        ),
        (
            RoundedSeconds,
            "the_time_is_returned_unchanged",
            "after `create_token`, the time is 2026-11-18T11:06:42Z instead of 2026-11-18T11:06:41.789000000Z",
        ),
        (
            CaseIgnored,
            "addresses_are_compared_exactly",
            "after a `create_token` for \"conformance-…\"… (66 bytes), which differs in case, `find_by_email` finds a token for \"CONFORMANCE-…\"… (66 bytes)",
        ),
        (
            NoneIsAnError,
            "an_address_without_a_token_is_none",
            "`find_by_email` returned the error \"no rows returned\"",
        ),
        (
            DeleteRequiresARow,
            "deleting_nothing_is_no_error",
            "`delete_by_email` returned the error \"0 rows were deleted\"",
        ),
        (
            TwoStatements,
            "a_hundred_tokens_leave_one",
            "after 100 concurrent calls of `create_token`, the hash and the time are not those of one call",
        ),
        (
            OwnTime,
            "the_time_is_returned_unchanged",
            "after `create_token`, the time is … instead of 2026-11-18T11:06:41.789000000Z",
        ),
    ], |mistake| conformance::password_resets(Resets { tokens: MemoryPasswordResets::new(), mistake })).await;
    checks.end(&conformance::password_resets(MemoryPasswordResets::new()));
}
