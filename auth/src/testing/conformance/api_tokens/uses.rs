//! The last use of a token.

use super::{ApiTokenCases, token};
use crate::repository::ApiTokenRecord;
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{at, shown};
use crate::testing::conformance::race::{ROUNDS, TASKS, race};
use crate::testing::conformance::rows::{OwnedRows as _, USED, user};
use crate::testing::conformance::suite::Checked;

/// The library records a use if the previous one is a minute old.
const MINUTE: u64 = 60_000;

/// A token that was last used at this time, in milliseconds since 1970.
fn last_used(user: &str, last: Option<u64>) -> Result<ApiTokenRecord, Broken> {
    Ok(ApiTokenRecord { last_used_at: last.map(at), ..token(user)? })
}

pub(super) async fn a_use_writes_one_field(tokens: ApiTokenCases) -> Checked {
    let mut own = tokens.store(last_used(&user()?, None)?).await?;
    let other = tokens.store(token(&own.user_id)?).await?;
    for (before, time) in [
        (USED - MINUTE, USED),
        (USED, USED + MINUTE),
        (USED + 9 * MINUTE, USED + 10 * MINUTE),
        // An `at` that is earlier than the last use: it is written all the same.
        (USED + 10 * MINUTE, USED + 2 * MINUTE),
    ] {
        let recorded = tokens.record_use(&own.id, at(before), at(time)).await?;
        ensure!(recorded, "`record_use` of a token that was last used before `before` returned false");
        own.last_used_at = Some(at(time));
        tokens.must_be(&own, "after a `record_use`").await?;
    }
    tokens.must_be(&other, "after a `record_use` of another token").await?;
    tokens.delete_all(&own.user_id).await?;
    Ok(())
}

pub(super) async fn a_use_that_is_due_is_written(tokens: ApiTokenCases) -> Checked {
    for (last, before) in [
        (None, USED),
        // Earlier than everything.
        (None, 0),
        (Some(USED), USED),
        (Some(USED), USED + 1),
        (Some(USED + 1), USED + 1),
        (Some(USED), USED + 1_000),
        (Some(USED), USED + MINUTE),
    ] {
        let own = tokens.store(last_used(&user()?, last)?).await?;
        let used = ApiTokenRecord { last_used_at: Some(at(USED + 2 * MINUTE)), ..own };
        let recorded = tokens.record_use(&used.id, at(before), at(USED + 2 * MINUTE)).await?;
        let (last, before) =
            (last.map_or_else(|| "null".to_owned(), |last| shown(at(last))), shown(at(before)));
        ensure!(
            recorded,
            "`record_use` with the `before` {before} returned false, although `last_used_at` was {last}"
        );
        tokens.must_be(&used, "after a `record_use` that returned true").await?;
        tokens.delete(&used).await?;
    }
    Ok(())
}

pub(super) async fn a_later_use_stays(tokens: ApiTokenCases) -> Checked {
    for (last, before) in
        [(USED, USED - MINUTE), (USED, USED - 1_000), (USED, USED - 1), (USED + 1, USED), (USED, 0)]
    {
        let own = tokens.store(last_used(&user()?, Some(last))?).await?;
        // Later than the last use, and earlier.
        for time in [USED + MINUTE, USED - 2 * MINUTE] {
            ensure!(
                !tokens.record_use(&own.id, at(before), at(time)).await?,
                "`record_use` with the `before` {} returned true, although `last_used_at` was {}",
                shown(at(before)),
                shown(at(last))
            );
            tokens.must_be(&own, "after a `record_use` that returned false").await?;
        }
        tokens.delete(&own).await?;
    }
    Ok(())
}

pub(super) async fn one_of_a_hundred_uses_succeeds(tokens: ApiTokenCases) -> Checked {
    let mut token = tokens.store(last_used(&user()?, None)?).await?;
    let mut before = USED;
    for _ in 0..ROUNDS {
        let uses = race(TASKS, |number| {
            let (tokens, id) = (tokens.clone(), token.id.clone());
            async move {
                let time = before + MINUTE + 1_000 * number as u64;
                Ok(tokens.record_use(&id, at(before), at(time)).await?.then_some(time))
            }
        });
        let mut written: Vec<_> = uses.await?.into_iter().flatten().collect();
        let number = written.len();
        let Some(time) = written.pop().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `record_use` with one `before` returned true"
            )));
        };
        token.last_used_at = Some(at(time));
        tokens.must_be(&token, "after the `record_use` that returned true").await?;
        // The first round begins with null, and the others with a use exactly at `before`.
        before = time;
    }
    tokens.delete(&token).await?;
    Ok(())
}
