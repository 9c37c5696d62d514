//! Several operations at the same time.

use super::{PasskeyCases, USED, passkey, user};
use crate::repository::{PasskeyRecord, PasskeyUse};
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{at, bytes};
use crate::testing::conformance::race::{ROUNDS, TASKS, both, race};
use crate::testing::conformance::suite::Checked;

/// How often two operations meet.
const MEETINGS: usize = 20;

pub(super) async fn one_of_a_hundred_inserts_succeeds(passkeys: PasskeyCases) -> Checked {
    for _ in 0..ROUNDS {
        let (users, credential_id) = ([user()?, user()?, user()?], bytes::<32>()?);
        let inserts = race(TASKS, |number| {
            let (passkeys, user) = (passkeys.clone(), users.iter().cycle().nth(number).cloned());
            async move {
                let mut passkey = passkey(&user.unwrap_or_default())?;
                (passkey.credential_id, passkey.name) = (credential_id.to_vec(), number.to_string());
                Ok(passkeys.insert(passkey.clone()).await?.then_some(passkey))
            }
        });
        let mut inserted: Vec<_> = inserts.await?.into_iter().flatten().collect();
        let number = inserted.len();
        let Some(passkey) = inserted.pop().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `insert` with one credential id returned true"
            )));
        };
        passkeys.must_be(&passkey, "after the `insert` that returned true").await?;
        let mut found = Vec::new();
        for user in &users {
            found.extend(passkeys.of_user(user).await?);
        }
        ensure!(
            found == [passkey.id.clone()],
            "after {TASKS} concurrent calls of `insert` with one credential id, there are {} passkeys",
            found.len()
        );
        passkeys.delete(&passkey).await?;
    }
    Ok(())
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

pub(super) async fn a_deleted_passkey_stays_deleted(passkeys: PasskeyCases) -> Checked {
    for round in 0..MEETINGS {
        let passkey = passkeys.create().await?;
        let (writing, deleting, own) = (passkeys.clone(), passkeys.clone(), passkey.clone());
        let write = async move {
            let seen = PasskeyUse::new(own.counter + 1, true, at(USED + 1_000));
            match round % 3 {
                0 => writing.record_use(&own.id, None, &seen).await,
                1 => writing.record_use(&own.id, Some(own.counter), &seen).await,
                _ => writing.rename(&own.user_id, &own.id, "new").await,
            }
        };
        let own = passkey.clone();
        let (_, deleted) = both(write, async move { deleting.delete(&own).await }).await?;
        ensure!(deleted, "`delete` of a passkey that was being written returned false");
        let place = if round % 3 < 2 {
            "after a `delete` and a `record_use` at the same time"
        } else {
            "after a `delete` and a `rename` at the same time"
        };
        passkeys.must_be_none(&passkey.credential_id, place).await?;
    }
    Ok(())
}

pub(super) async fn a_use_does_not_undo_a_rename(passkeys: PasskeyCases) -> Checked {
    let mut passkey = passkeys.create().await?;
    for round in 0..MEETINGS {
        let (using, renaming, before) = (passkeys.clone(), passkeys.clone(), passkey.clone());
        passkey.name = format!("round {round}");
        passkey.counter += 1;
        passkey.last_used_at = Some(at(USED + 1_000 * round as u64));
        let seen = PasskeyUse::new(passkey.counter, passkey.backed_up, at(USED + 1_000 * round as u64));
        let (id, name) = (before.id.clone(), passkey.name.clone());
        let write = async move { using.record_use(&id, Some(before.counter), &seen).await };
        let rename = async move { renaming.rename(&before.user_id, &before.id, &name).await };
        let (written, renamed) = both(write, rename).await?;
        ensure!(written, "`record_use` returned false although only a `rename` ran at the same time");
        ensure!(renamed, "`rename` returned false although only a `record_use` ran at the same time");
        passkeys.must_be(&passkey, "after a `record_use` and a `rename` at the same time").await?;
    }
    passkeys.delete(&passkey).await?;
    Ok(())
}

pub(super) async fn a_hundred_new_passkeys_are_stored(passkeys: PasskeyCases) -> Checked {
    let user = user()?;
    let mut stored = race(TASKS, |_| {
        let (passkeys, user) = (passkeys.clone(), user.clone());
        async move { Ok(passkeys.store(passkey(&user)?).await?.id) }
    })
    .await?;
    stored.sort();
    let found = passkeys.of_user(&user).await?;
    ensure!(found == stored, "`find_by_user` finds {} of {TASKS} passkeys", found.len());
    let deleted = passkeys.delete_all(&user).await?;
    ensure!(deleted == TASKS as u64, "`delete_all` of {TASKS} passkeys returned {deleted}");
    Ok(())
}
