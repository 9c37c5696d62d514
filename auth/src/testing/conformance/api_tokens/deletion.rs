//! Tokens that end.

use super::{ApiTokenCases, ending, token};
use crate::crypto::random;
use crate::testing::conformance::failures::{Broken, Operation, ensure};
use crate::testing::conformance::fresh::at;
use crate::testing::conformance::rows::{OwnedRow as _, OwnedRows as _, user};
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_deleted_id_can_be_stored_again(tokens: ApiTokenCases) -> Checked {
    let mut own = tokens.create().await?;
    let of_other = user()?;
    // Both operations of a user, for the same user and for another one.
    for (operation, user) in [("delete", own.user_id.clone()), ("delete_all", of_other)] {
        let deleted = match operation {
            "delete" => u64::from(tokens.delete(&own).await?),
            _ => tokens.delete_all(&own.user_id).await?,
        };
        ensure!(deleted == 1, "`{operation}` of a token deleted {deleted}");
        own = token(&user)?.with_id(own.id);
        ensure!(
            tokens.insert(own.clone()).await?,
            "`insert` returned false although `{operation}` has deleted the token with this id"
        );
        tokens.must_be(&own, &format!("after a `{operation}` and another `insert`")).await?;
    }
    tokens.delete(&own).await?;
    Ok(())
}

/// Times in the 1970s, so that only tokens of this suite are expired. The day is random, so that what a stopped run has left counts
/// little.
pub(super) async fn expired_tokens_are_deleted(tokens: ApiTokenCases) -> Checked {
    let random = random::bytes::<4>().map_err(|error| Broken::new(error.to_string()))?;
    let now = 100_000_000_000 + 1_000 * u64::from(u32::from_be_bytes(random) >> 12);
    let (own, other) = (user()?, user()?);
    let ends = [(&own, now - 2_000), (&own, now - 1_000), (&other, now), (&own, now + 1_000)];
    let mut stored = Vec::new();
    for (user, end) in ends {
        stored.push(tokens.store(ending(user, end)?).await?);
    }
    let Some(live) = stored.pop() else { return Ok(()) };
    let delete =
        async |at_most| tokens.repository.delete_expired(at(now), at_most).await.of("delete_expired");
    // How many of the expired ones are left.
    let count = async || {
        let mut left = 0;
        for token in &stored {
            left += u64::from(tokens.find(&token.id).await?.is_some());
        }
        Ok::<_, Broken>(left)
    };

    let none = delete(0).await?;
    ensure!(none == 0, "`delete_expired` of at most 0 tokens returned {none}");
    let deleted = delete(1).await?;
    let mut left = count().await?;
    ensure!(left >= 2, "`delete_expired` of at most 1 token deleted {}", 3 - left);
    ensure!(
        deleted == 1,
        "`delete_expired` of at most 1 token returned {deleted}, with at least 3 that were expired"
    );
    loop {
        let deleted = delete(1_000).await?;
        let gone = left - count().await?;
        ensure!(deleted >= gone, "`delete_expired` deleted {gone} tokens or more, and returned {deleted}");
        left -= gone;
        if deleted == 0 {
            break;
        }
    }
    ensure!(
        left == 0,
        "`delete_expired` returned 0 and left {left} tokens with `expires_at` up to and including `now`"
    );
    let place = "after a `delete_expired` with a `now` that is a second before its end";
    tokens.must_be(&live, place).await?;
    tokens.delete(&live).await?;
    Ok(())
}
