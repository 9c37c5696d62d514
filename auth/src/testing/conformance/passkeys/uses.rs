//! The last use of a passkey.

use super::PasskeyCases;
use crate::repository::{PasskeyRecord, PasskeyUse};
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::at;
use crate::testing::conformance::race::{ROUNDS, TASKS, race};
use crate::testing::conformance::rows::{OwnedRows as _, USED};
use crate::testing::conformance::suite::Checked;

/// The passkey after this use.
fn after(passkey: &PasskeyRecord, seen: &PasskeyUse) -> PasskeyRecord {
    let PasskeyUse { counter, backed_up, last_used_at } = *seen;
    PasskeyRecord { counter, backed_up, last_used_at: Some(last_used_at), ..passkey.clone() }
}

pub(super) async fn a_use_writes_its_three_fields(passkeys: PasskeyCases) -> Checked {
    let mut own = passkeys.create().await?;
    let other = passkeys.store(super::passkey(&own.user_id)?).await?;
    for seen in [
        PasskeyUse::new(8, true, at(USED + 1_000)),
        PasskeyUse::new(4_000, false, at(USED + 2_000)),
        // A counter that is smaller, and a clock that was set back.
        PasskeyUse::new(3, true, at(USED - 60_000)),
        PasskeyUse::new(0, false, at(USED + 3_000)),
    ] {
        let expected = (own.counter == 8).then_some(8);
        ensure!(
            passkeys.record_use(&own.id, expected, &seen).await?,
            "`record_use` of a passkey returned false"
        );
        own = after(&own, &seen);
        passkeys.must_be(&own, "after a `record_use`").await?;
    }
    passkeys.must_be(&other, "after a `record_use` of another passkey").await?;
    passkeys.delete_all(&own.user_id).await?;
    Ok(())
}

pub(super) async fn a_use_requires_the_expected_counter(passkeys: PasskeyCases) -> Checked {
    let own = passkeys.create().await?;
    let seen = PasskeyUse::new(9, true, at(USED + 1_000));
    for expected in [0, 6, 8, 9, u32::MAX] {
        ensure!(
            !passkeys.record_use(&own.id, Some(expected), &seen).await?,
            "`record_use` returned true although the counter was not the expected one"
        );
        passkeys.must_be(&own, "after a `record_use` that returned false").await?;
    }
    ensure!(
        passkeys.record_use(&own.id, Some(own.counter), &seen).await?,
        "`record_use` returned false although the counter was the expected one"
    );
    // A counter that was replaced is not expected again.
    ensure!(
        !passkeys.record_use(&own.id, Some(own.counter), &PasskeyUse::new(10, true, at(USED))).await?,
        "`record_use` returned true for a counter that had been replaced"
    );
    ensure!(
        passkeys.record_use(&own.id, Some(seen.counter), &seen).await?,
        "`record_use` of what is stored already, with the expected counter, returned false"
    );
    passkeys.must_be(&after(&own, &seen), "after a `record_use`").await?;
    passkeys.delete(&own).await?;
    for expected in [own.counter, seen.counter, 0] {
        ensure!(
            !passkeys.record_use(&own.id, Some(expected), &seen).await?,
            "`record_use` with an expected counter returned true for a passkey that does not exist"
        );
    }
    passkeys.must_be_none(&own.credential_id, "after a `record_use` of a passkey that was deleted").await
}

pub(super) async fn one_of_a_hundred_uses_succeeds(passkeys: PasskeyCases) -> Checked {
    let mut passkey = passkeys.create().await?;
    for _ in 0..ROUNDS {
        let expected = passkey.counter;
        let uses = race(TASKS, |number| {
            let (passkeys, id) = (passkeys.clone(), passkey.id.clone());
            async move {
                let counter = expected + 1 + number as u32;
                let seen = PasskeyUse::new(counter, number % 2 == 0, at(USED + 1_000 * number as u64));
                Ok(passkeys.record_use(&id, Some(expected), &seen).await?.then_some(seen))
            }
        });
        let mut written: Vec<_> = uses.await?.into_iter().flatten().collect();
        let number = written.len();
        let Some(seen) = written.pop().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `record_use` with one expected counter returned true"
            )));
        };
        let PasskeyUse { counter, backed_up, last_used_at } = seen;
        passkey = PasskeyRecord { counter, backed_up, last_used_at: Some(last_used_at), ..passkey };
        passkeys.must_be(&passkey, "after the `record_use` that returned true").await?;
    }
    passkeys.delete(&passkey).await?;
    Ok(())
}
