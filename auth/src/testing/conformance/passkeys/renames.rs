//! The name of a passkey.

use super::{PasskeyCases, passkey};
use crate::repository::PasskeyUse;
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::{TEXTS, almost, at, id};
use crate::testing::conformance::race::both;
use crate::testing::conformance::rows::{MEETINGS, OwnedRows as _, USED, user};
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_rename_writes_the_name(passkeys: PasskeyCases) -> Checked {
    let mut own = passkeys.create().await?;
    let other = passkeys.store(passkey(&own.user_id)?).await?;
    for name in TEXTS.iter().chain(&["", "Ada's phone"]) {
        for place in ["after a `rename`", "after a `rename` that changes nothing"] {
            let renamed = passkeys.rename(&own.user_id, &own.id, name).await?;
            ensure!(renamed, "{place}, the result is false although the user has the passkey");
            (*name).clone_into(&mut own.name);
            passkeys.must_be(&own, place).await?;
        }
    }
    passkeys.must_be(&other, "after a `rename` of another passkey").await?;
    passkeys.delete_all(&own.user_id).await?;
    Ok(())
}

pub(super) async fn a_rename_needs_the_user(passkeys: PasskeyCases) -> Checked {
    let mut own = passkey(&user()?)?;
    own.id.replace_range(20.., "as");
    let own = passkeys.store(own).await?;
    let (other, deleted) = (passkeys.create().await?, passkeys.create().await?);
    passkeys.delete(&deleted).await?;
    let by_almost_the_user = almost(&own.user_id).into_iter().map(|(how, user)| (how, user, own.id.clone()));
    let of_almost_the_id = almost(&own.id).into_iter().map(|(how, id)| (how, own.user_id.clone(), id));
    for (difference, user, id) in by_almost_the_user.chain(of_almost_the_id) {
        let renamed = passkeys.rename(&user, &id, "stolen").await?;
        ensure!(
            !renamed,
            "`rename` by {user:?} with the id {id:?} returned true, with a passkey {:?} of {:?}, which differs {difference}",
            own.id,
            own.user_id
        );
    }
    for (user, id) in [
        (&other.user_id, &own.id),
        (&user()?, &own.id),
        (&own.user_id, &id()?),
        (&own.user_id, &String::new()),
        (&deleted.user_id, &deleted.id),
    ] {
        let renamed = passkeys.rename(user, id, "stolen").await?;
        ensure!(!renamed, "`rename` returned true although the user has no passkey with this id");
        passkeys.must_be(&own, "after a `rename` that returned false").await?;
    }
    let place = "after a `rename` of a passkey that was deleted";
    passkeys.must_be_none(&deleted.credential_id, place).await?;
    for passkey in [own, other] {
        passkeys.delete(&passkey).await?;
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
