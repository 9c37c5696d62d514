//! At most one token for each address: the latest.

use super::PasswordResetCases;
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{TEXTS, address, almost, at, quoted};
use crate::testing::conformance::race::{ROUNDS, TASKS, race};
use crate::testing::conformance::suite::Checked;

/// A whole second, so that an adapter that rounds fails the case about the time alone.
const TIME: u64 = 1_795_000_001_000;

/// Fails if a token is stored for the address.
async fn must_be_none(resets: &PasswordResetCases, email: &str, place: &str) -> Checked {
    ensure!(
        resets.find(email).await?.is_none(),
        "{place}, `find_by_email` finds a token for {}",
        quoted(email)
    );
    Ok(())
}

pub(super) async fn a_token_is_found_by_its_address(resets: PasswordResetCases) -> Checked {
    let (email, another) = (address()?, address()?);
    resets.create(&email, "hash", at(TIME)).await?;
    resets.create(&another, "another hash", at(TIME + 1_000)).await?;
    resets.must_be(&email, "hash", at(TIME), "after `create_token`").await?;
    resets.must_be(&another, "another hash", at(TIME + 1_000), "after `create_token`").await?;
    resets.must_be(&email, "hash", at(TIME), "after `find_by_email`").await?;
    resets.delete(&email).await?;
    resets.delete(&another).await
}

pub(super) async fn an_address_without_a_token_is_none(resets: PasswordResetCases) -> Checked {
    // Some token must be there that could be found by mistake.
    let email = address()?;
    resets.create(&email, "hash", at(TIME)).await?;
    for unknown in [address()?.as_str(), "' OR ''='", "%", ""] {
        must_be_none(&resets, unknown, "without a call of `create_token` for it").await?;
    }
    resets.delete(&email).await
}

pub(super) async fn a_new_token_replaces_the_previous_one(resets: PasswordResetCases) -> Checked {
    let email = address()?;
    for number in 0..3 {
        let (hash, time) = (format!("hash {number}"), at(TIME + 1_000 * number));
        resets.create(&email, &hash, time).await?;
        resets.must_be(&email, &hash, time, "after another `create_token`").await?;
    }
    // The previous ones are not only hidden.
    resets.delete(&email).await?;
    must_be_none(&resets, &email, "after three calls of `create_token` and one of `delete_by_email`").await
}

pub(super) async fn the_latest_call_wins_even_with_an_earlier_time(resets: PasswordResetCases) -> Checked {
    let email = address()?;
    resets.create(&email, "first", at(TIME)).await?;
    for (hash, time) in [("second", at(TIME - 3_600_000)), ("third", at(TIME - 3_600_000))] {
        resets.create(&email, hash, time).await?;
        resets.must_be(&email, hash, time, "after a `create_token` with an earlier or the same time").await?;
    }
    resets.delete(&email).await
}

pub(super) async fn a_deleted_token_is_gone(resets: PasswordResetCases) -> Checked {
    let (email, another) = (address()?, address()?);
    resets.create(&email, "hash", at(TIME)).await?;
    resets.create(&another, "another hash", at(TIME)).await?;
    resets.delete(&email).await?;
    must_be_none(&resets, &email, "after `delete_by_email`").await?;
    resets.must_be(&another, "another hash", at(TIME), "after `delete_by_email` of another address").await?;
    resets.create(&email, "new", at(TIME)).await?;
    resets.must_be(&email, "new", at(TIME), "after `delete_by_email` and another `create_token`").await?;
    resets.delete(&email).await?;
    resets.delete(&another).await
}

pub(super) async fn deleting_nothing_is_no_error(resets: PasswordResetCases) -> Checked {
    let email = address()?;
    resets.delete(&email).await?;
    resets.create(&email, "hash", at(TIME)).await?;
    resets.delete(&email).await?;
    resets.delete(&email).await?;
    must_be_none(&resets, &email, "after `delete_by_email`").await
}

pub(super) async fn addresses_are_compared_exactly(resets: PasswordResetCases) -> Checked {
    let email = address()?;
    resets.create(&email, "hash", at(TIME)).await?;
    let wildcard = ("by the wildcard `%`", email.replacen('-', "%", 1));
    let others: Vec<_> = almost(&email).into_iter().chain([wildcard]).collect();
    for (difference, other) in &others {
        let place = format!("after a `create_token` for {}, which differs {difference}", quoted(&email));
        must_be_none(&resets, other, &place).await?;
    }
    for (difference, other) in &others {
        resets.create(other, difference, at(TIME)).await?;
        let place = format!("after a `create_token` for an address that differs {difference}");
        resets.must_be(&email, "hash", at(TIME), &place).await?;
        resets.delete(other).await?;
        let place = format!("after a `delete_by_email` of an address that differs {difference}");
        resets.must_be(&email, "hash", at(TIME), &place).await?;
    }
    resets.delete(&email).await
}

/// Hashes are ASCII.
const HASH: &str = "$2b$04$/.aZ09 it's \"quoted\" \\ ` %_ ? $1 :name --";

pub(super) async fn texts_are_stored_unchanged(resets: PasswordResetCases) -> Checked {
    let email = address()?;
    for text in TEXTS {
        let key = format!("{text} {email}");
        resets.create(&key, HASH, at(TIME)).await?;
        resets.must_be(&key, HASH, at(TIME), "after `create_token`").await?;
        resets.delete(&key).await?;
        must_be_none(&resets, &key, "after `delete_by_email`").await?;
    }
    // The library puts the module's realm before the address.
    let (key, hash) = (format!("{email}{}", "d".repeat(512 - email.len())), "h".repeat(255));
    resets.create(&key, &hash, at(TIME)).await?;
    resets.must_be(&key, &hash, at(TIME), "after `create_token`").await?;
    resets.delete(&key).await
}

pub(super) async fn the_time_is_returned_unchanged(resets: PasswordResetCases) -> Checked {
    let email = address()?;
    // Milliseconds, the last one of a leap day, and the hours around the ends of summer times, in which local times occur
    // twice.
    for time in
        [TIME + 789, TIME + 999, 1_835_481_599_999, 1_792_888_200_500, 1_792_891_800_500, 1_793_511_000_500]
    {
        resets.create(&email, "hash", at(time)).await?;
        resets.must_be(&email, "hash", at(time), "after `create_token`").await?;
    }
    resets.delete(&email).await
}

pub(super) async fn a_hundred_tokens_leave_one(resets: PasswordResetCases) -> Checked {
    let email = address()?;
    for round in 0..ROUNDS {
        race(TASKS, |number| {
            let (resets, email) = (resets.clone(), email.clone());
            async move {
                resets.create(&email, &format!("{round}/{number}"), at(TIME + 1_000 * number as u64)).await
            }
        })
        .await?;
        let stored = resets.find(&email).await?;
        let stored = stored
            .ok_or_else(|| Broken::new("after 100 concurrent calls of `create_token`, there is none"))?;
        let number =
            stored.token.strip_prefix(&format!("{round}/")).and_then(|number| number.parse::<u64>().ok());
        ensure!(
            number.is_some_and(|number| stored.created_at == at(TIME + 1_000 * number)),
            "after 100 concurrent calls of `create_token`, the hash and the time are not those of one call"
        );
        resets.delete(&email).await?;
        must_be_none(
            &resets,
            &email,
            "after 100 concurrent calls of `create_token` and one of `delete_by_email`",
        )
        .await?;
    }
    Ok(())
}
