//! To whom a passkey belongs: what a user can do with it, and nobody else.

use super::{PasskeyCases, passkey, user};
use crate::repository::PasskeyRecord;
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::{TEXTS, id};
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_credential_is_stored_once(passkeys: PasskeyCases) -> Checked {
    let own = passkeys.create().await?;
    for user in [own.user_id.clone(), user()?] {
        let again = PasskeyRecord { credential_id: own.credential_id.clone(), ..passkey(&user)? };
        ensure!(
            !passkeys.insert(again).await?,
            "`insert` returned true although there is a passkey with this credential id"
        );
        passkeys.must_be(&own, "after an `insert` that returned false").await?;
        let found = passkeys.of_user(&user).await?;
        let mut expected = vec![own.id.clone()];
        expected.retain(|_| user == own.user_id);
        ensure!(
            found == expected,
            "after an `insert` that returned false, `find_by_user` finds {} passkeys of its user instead of {}",
            found.len(),
            expected.len()
        );
    }
    passkeys.delete(&own).await?;
    Ok(())
}

pub(super) async fn a_deleted_credential_can_be_stored_again(passkeys: PasskeyCases) -> Checked {
    let mut own = passkeys.create().await?;
    for user in [own.user_id.clone(), user()?] {
        passkeys.delete(&own).await?;
        own = PasskeyRecord { credential_id: own.credential_id, ..passkey(&user)? };
        ensure!(
            passkeys.insert(own.clone()).await?,
            "`insert` returned false although the passkey with this credential id was deleted"
        );
        passkeys.must_be(&own, "after a `delete` and another `insert`").await?;
    }
    // Another `delete` than that of a single passkey, too.
    passkeys.delete_all(&own.user_id).await?;
    own.id = id()?;
    ensure!(
        passkeys.insert(own.clone()).await?,
        "`insert` returned false although `delete_all` has deleted the passkey with this credential id"
    );
    passkeys.delete(&own).await?;
    Ok(())
}

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
    let (own, other, deleted) =
        (passkeys.create().await?, passkeys.create().await?, passkeys.create().await?);
    passkeys.delete(&deleted).await?;
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

pub(super) async fn a_deleted_passkey_is_gone(passkeys: PasskeyCases) -> Checked {
    let (own, other) = (passkeys.create().await?, passkeys.create().await?);
    let second = passkeys.store(passkey(&own.user_id)?).await?;
    for (user, id) in [(&other.user_id, &own.id), (&user()?, &own.id), (&own.user_id, &id()?)] {
        let deleted = passkeys.delete_of(user, id).await?;
        ensure!(!deleted, "`delete` returned true although the user has no passkey with this id");
        passkeys.must_be(&own, "after a `delete` that returned false").await?;
    }
    ensure!(passkeys.delete(&own).await?, "`delete` of a passkey returned false");
    passkeys.must_be_none(&own.credential_id, "after a `delete`").await?;
    let found = passkeys.of_user(&own.user_id).await?;
    ensure!(
        found == [second.id.clone()],
        "after a `delete`, `find_by_user` finds {} passkeys, not exactly the other one of the user",
        found.len()
    );
    ensure!(!passkeys.delete(&own).await?, "a second `delete` of a passkey returned true");
    for passkey in [second, other] {
        passkeys.must_be(&passkey, "after a `delete` of another passkey").await?;
        passkeys.delete(&passkey).await?;
    }
    Ok(())
}

pub(super) async fn all_passkeys_of_a_user_are_deleted(passkeys: PasskeyCases) -> Checked {
    let (own, other) = (user()?, passkeys.create().await?);
    let mut stored = Vec::new();
    for _ in 0..3 {
        stored.push(passkeys.store(passkey(&own)?).await?);
    }
    for number in [3, 0] {
        let deleted = passkeys.delete_all(&own).await?;
        ensure!(deleted == number, "`delete_all` of a user with {number} passkeys returned {deleted}");
        let left = passkeys.of_user(&own).await?.len();
        ensure!(left == 0, "`delete_all` left {left} passkeys of the user");
    }
    for passkey in stored {
        passkeys.must_be_none(&passkey.credential_id, "after a `delete_all`").await?;
    }
    passkeys.must_be(&other, "after a `delete_all` of another user").await?;
    passkeys.delete(&other).await?;
    Ok(())
}
