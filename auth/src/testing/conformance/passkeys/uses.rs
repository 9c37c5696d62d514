//! The last use of a passkey.

use super::{PasskeyCases, USED};
use crate::repository::{PasskeyRecord, PasskeyUse};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::{at, id};
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
    passkeys.must_be(&after(&own, &seen), "after a `record_use`").await?;
    passkeys.delete(&own).await?;
    Ok(())
}

pub(super) async fn a_use_that_changes_nothing_succeeds(passkeys: PasskeyCases) -> Checked {
    let own = passkeys.create().await?;
    let seen = PasskeyUse::new(own.counter, own.backed_up, at(USED));
    for expected in [None, Some(own.counter)] {
        ensure!(
            passkeys.record_use(&own.id, expected, &seen).await?,
            "`record_use` of what is stored already returned false"
        );
    }
    passkeys.must_be(&own, "after a `record_use` that changes nothing").await?;
    passkeys.delete(&own).await?;
    Ok(())
}

pub(super) async fn a_use_of_nothing_creates_nothing(passkeys: PasskeyCases) -> Checked {
    let deleted = passkeys.create().await?;
    passkeys.delete(&deleted).await?;
    for id in [&id()?, &deleted.id] {
        for expected in [None, Some(deleted.counter), Some(0)] {
            let seen = PasskeyUse::new(8, true, at(USED));
            ensure!(
                !passkeys.record_use(id, expected, &seen).await?,
                "`record_use` of a passkey that does not exist returned true"
            );
        }
    }
    passkeys.must_be_none(&deleted.credential_id, "after a `record_use` of a passkey that was deleted").await
}
