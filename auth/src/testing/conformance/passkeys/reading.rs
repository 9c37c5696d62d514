//! What is stored and found.

use super::{PasskeyCases, REGISTERED, USED, must_be, passkey, user};
use crate::repository::{PasskeyRecord, PasskeyUse};
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{TEXTS, almost, at, bytes, id, quoted, token};
use crate::testing::conformance::suite::Checked;

/// Fails unless `find_by_credential_id` and `find_by_user` return this passkey, the only one of its user.
async fn is_found(passkeys: &PasskeyCases, expected: &PasskeyRecord) -> Checked {
    passkeys.must_be(expected, "after `insert`").await?;
    let found = passkeys.find_by_user(&expected.user_id).await?;
    let number = found.len();
    ensure!(number == 1, "`find_by_user` finds {number} passkeys of a user who has one");
    found.iter().try_for_each(|found| must_be(found, expected, "in the passkey that `find_by_user` returned"))
}

/// Stores a passkey, fails unless it is found, and deletes it.
async fn is_stored(passkeys: &PasskeyCases, passkey: PasskeyRecord) -> Checked {
    let stored = passkeys.store(passkey).await?;
    is_found(passkeys, &stored).await?;
    passkeys.delete(&stored).await?;
    Ok(())
}

pub(super) async fn a_passkey_is_found_with_every_field(passkeys: PasskeyCases) -> Checked {
    is_stored(&passkeys, passkey(&user()?)?).await?;
    // A passkey without the fields that are optional.
    let bare = PasskeyRecord::new(id()?, user()?, bytes::<16>()?, bytes::<77>()?, at(REGISTERED));
    is_stored(&passkeys, bare).await?;
    for (backup_eligible, backed_up) in [(true, false), (true, true), (false, true)] {
        let mut passkey = passkey(&user()?)?;
        (passkey.backup_eligible, passkey.backed_up) = (backup_eligible, backed_up);
        is_stored(&passkeys, passkey).await?;
    }
    // Many authenticators say that their model is 0, which is not null. Bytes at the end must not be taken for padding.
    for aaguid in [[0; 16], [b' '; 16], [0xff; 16]] {
        let mut passkey = passkey(&user()?)?;
        passkey.aaguid = Some(aaguid);
        is_stored(&passkeys, passkey).await?;
    }
    for transports in [&["usb"][..], &["usb", "nfc", "ble", "smart-card"], &["x"; 8]] {
        let mut passkey = passkey(&user()?)?;
        passkey.transports = transports.iter().map(|&transport| transport.to_owned()).collect();
        is_stored(&passkeys, passkey).await?;
    }
    Ok(())
}

pub(super) async fn an_unknown_passkey_is_none(passkeys: PasskeyCases) -> Checked {
    // Some passkey must be there that could be found by mistake.
    let stored = passkeys.create().await?;
    let unknown: [&[u8]; 6] =
        [b"", b"' OR ''='", b"%", stored.id.as_bytes(), stored.user_id.as_bytes(), &bytes::<32>()?];
    for credential_id in unknown {
        passkeys.must_be_none(credential_id, "without an `insert` of this credential id").await?;
    }
    for user in [user()?.as_str(), "' OR ''='", "%", "", &stored.id] {
        let found = passkeys.of_user(user).await?;
        ensure!(found.is_empty(), "`find_by_user` finds passkeys of a user who has none");
    }
    passkeys.delete(&stored).await?;
    Ok(())
}

pub(super) async fn passkeys_are_found_by_user(passkeys: PasskeyCases) -> Checked {
    let (own, other) = (user()?, user()?);
    let mut stored = Vec::new();
    for _ in 0..3 {
        stored.push(passkeys.store(passkey(&own)?).await?.id);
        passkeys.store(passkey(&other)?).await?;
    }
    stored.sort();
    let found = passkeys.of_user(&own).await?;
    ensure!(
        found == stored,
        "`find_by_user` returned {} passkeys, not exactly the {} of the user",
        found.len(),
        stored.len()
    );
    for user in [own, other] {
        passkeys.delete_all(&user).await?;
    }
    Ok(())
}

pub(super) async fn user_ids_are_compared_exactly(passkeys: PasskeyCases) -> Checked {
    let own = passkeys.store(passkey(&format!("as {}", token()?))?).await?;
    for (difference, user) in almost(&own.user_id) {
        let (user, shown) = (user.as_str(), &own.user_id);
        let whose = format!("a passkey of the user {shown:?}, whose id differs {difference}");
        ensure!(passkeys.of_user(user).await?.is_empty(), "`find_by_user` of {user:?} finds {whose}");
        ensure!(!passkeys.rename(user, &own.id, "stolen").await?, "`rename` by {user:?} renamed {whose}");
        ensure!(!passkeys.delete_of(user, &own.id).await?, "`delete` by {user:?} deleted {whose}");
        let others = passkeys.store(passkey(user)?).await?;
        let found = passkeys.of_user(user).await?;
        ensure!(
            found == [others.id],
            "`find_by_user` of {user:?} does not find exactly the passkey of this user"
        );
        let deleted = passkeys.delete_all(user).await?;
        ensure!(
            deleted == 1,
            "`delete_all` of the user {user:?} deleted {deleted} passkeys instead of 1, those of {shown:?} among them"
        );
        let place = format!("after a `delete_all` of a user whose id differs {difference}");
        passkeys.must_be(&own, &place).await?;
    }
    passkeys.delete(&own).await?;
    Ok(())
}

pub(super) async fn ids_are_compared_exactly(passkeys: PasskeyCases) -> Checked {
    let begin: String = id()?.chars().take(20).collect();
    let mut first = passkey(&user()?)?;
    first.id = format!("{begin}as");
    let first = passkeys.store(first).await?;
    let seen = PasskeyUse::new(8, true, at(USED + 1_000));
    for (difference, other) in almost(&first.id) {
        let which = format!("returned true, with a passkey {:?}, which differs {difference}", first.id);
        ensure!(
            !passkeys.record_use(&other, None, &seen).await?,
            "`record_use` with the id {other:?} {which}"
        );
        let renamed = passkeys.rename(&first.user_id, &other, "stolen").await?;
        ensure!(!renamed, "`rename` with the id {other:?} {which}");
        let deleted = passkeys.delete_of(&first.user_id, &other).await?;
        ensure!(!deleted, "`delete` with the id {other:?} {which}");
    }
    // Two ids that differ only in case are both there.
    let mut second = passkey(&first.user_id)?;
    second.id = format!("{begin}aS");
    let second = passkeys.store(second).await?;
    for passkey in [&first, &second] {
        passkeys.must_be(passkey, "after an `insert` of an id that differs in case").await?;
    }
    passkeys.delete(&second).await?;
    passkeys.must_be(&first, "after a `delete` of an id that differs in case").await?;
    passkeys.delete(&first).await?;
    Ok(())
}

/// Credential ids that differ from this one as little as they can, with the difference. There is a zero byte in the middle of it.
fn almost_bytes(credential_id: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let changed = |at: usize, bits: u8| {
        let byte = |(index, byte): (usize, &u8)| if index == at { byte ^ bits } else { *byte };
        credential_id.iter().enumerate().map(byte).collect()
    };
    let last = credential_id.len() - 1;
    let (begin, _) = credential_id.split_at(last);
    vec![
        ("in the case of its first byte as a letter", changed(0, 0x20)),
        ("in the highest bit of its first byte", changed(0, 0x80)),
        ("in its last byte", changed(last, 1)),
        ("by its last byte, which is missing", begin.to_vec()),
        ("by a zero byte at its end", [credential_id, &[0]].concat()),
        ("by a zero byte at its beginning", [&[0], credential_id].concat()),
        ("by a space at its end", [credential_id, b" "].concat()),
        ("by many bytes at its end", [credential_id, &vec![b'x'; 1023 - credential_id.len()]].concat()),
    ]
}

pub(super) async fn credential_ids_are_compared_exactly(passkeys: PasskeyCases) -> Checked {
    let mut own = passkey(&user()?)?;
    own.credential_id = [&b"a"[..], &bytes::<32>()?, &[0], &bytes::<32>()?].concat();
    let own = passkeys.store(own).await?;
    let mut stored = Vec::new();
    for (difference, credential_id) in almost_bytes(&own.credential_id) {
        let place = format!("after an `insert` of a credential id that differs {difference}");
        passkeys.must_be_none(&credential_id, &place).await?;
        let mut other = passkey(&own.user_id)?;
        other.credential_id = credential_id;
        let inserted = passkeys.insert(other.clone()).await?;
        ensure!(inserted, "`insert` returned false although the other credential id differs {difference}");
        stored.push((difference, other));
    }
    for (difference, other) in &stored {
        passkeys.must_be(other, &format!("with another credential id, which differs {difference}")).await?;
    }
    for (difference, other) in stored {
        passkeys.delete(&other).await?;
        let place = format!("after a `delete` of a passkey whose credential id differs {difference}");
        passkeys.must_be_none(&other.credential_id, &place).await?;
        passkeys.must_be(&own, &place).await?;
    }
    passkeys.delete(&own).await?;
    Ok(())
}

pub(super) async fn texts_are_stored_unchanged(passkeys: PasskeyCases) -> Checked {
    for text in TEXTS {
        let mut passkey = passkey(&format!("{text} {}", token()?))?;
        passkey.name = (*text).to_owned();
        is_stored(&passkeys, passkey).await?;
    }
    Ok(())
}

/// A credential id of one byte that no passkey has. The database of a host may have some.
async fn one_byte(passkeys: &PasskeyCases) -> Result<Vec<u8>, Broken> {
    for byte in 0..=u8::MAX {
        if passkeys.find(&[byte]).await?.is_none() {
            return Ok(vec![byte]);
        }
    }
    Err(Broken::new("there is a passkey for each credential id of one byte"))
}

pub(super) async fn the_largest_values_have_room(passkeys: PasskeyCases) -> Checked {
    let mut small = passkey(&user()?)?;
    small.credential_id = one_byte(&passkeys).await?;
    is_stored(&passkeys, small).await?;

    let user = user()?;
    let mut large = passkey(&format!("{user}{}", "\u{1f600}".repeat((512 - user.len()) / 4)))?;
    ensure!(large.user_id.len() == 512, "the suite's user id has {} bytes", large.user_id.len());
    large.credential_id = bytes::<1023>()?.to_vec();
    large.public_key = bytes::<2048>()?.to_vec();
    large.rp_id = format!("{}.example", "d".repeat(245));
    large.name = "\u{1f511}".repeat(64);
    large.transports = (0..8).map(|number| number.to_string().repeat(32)).collect();
    let large = passkeys.store(large).await?;
    is_found(&passkeys, &large).await?;
    let again = PasskeyRecord { credential_id: large.credential_id.clone(), ..passkey(&user)? };
    let inserted = passkeys.insert(again).await?;
    ensure!(
        !inserted,
        "`insert` returned true although there is a passkey with this credential id of 1023 bytes"
    );
    // The whole credential id is compared, and not only its beginning.
    let mut other = large.credential_id.clone();
    other.pop();
    passkeys
        .must_be_none(&other, "after an `insert` of a credential id of 1023 bytes, with its first 1022")
        .await?;
    other.push(large.credential_id.last().map_or(0, |byte| byte ^ 1));
    passkeys
        .must_be_none(&other, "after an `insert` of a credential id that differs in its 1023rd byte")
        .await?;
    let name = "\u{1f5dd}".repeat(64);
    let renamed = passkeys.rename(&large.user_id, &large.id, &name).await?;
    ensure!(renamed, "`rename` to a name of {} returned false", quoted(&name));
    let large = PasskeyRecord { name, ..large };
    passkeys.must_be(&large, "after a `rename`").await?;
    passkeys.delete(&large).await?;
    Ok(())
}

pub(super) async fn counters_have_32_bits(passkeys: PasskeyCases) -> Checked {
    for counter in [0, 1, i32::MAX.unsigned_abs(), 1 << 31, u32::MAX - 1, u32::MAX] {
        let mut passkey = passkey(&user()?)?;
        passkey.counter = counter;
        let mut passkey = passkeys.store(passkey).await?;
        is_found(&passkeys, &passkey).await?;
        // Every counter is followed by another large one.
        let next = counter.wrapping_sub(1);
        let seen = PasskeyUse::new(next, passkey.backed_up, at(USED));
        let written = passkeys.record_use(&passkey.id, Some(counter), &seen).await?;
        ensure!(written, "`record_use` returned false although the counter was the expected one, {counter}");
        passkey.counter = next;
        passkeys.must_be(&passkey, "after a `record_use`").await?;
        passkeys.delete(&passkey).await?;
    }
    Ok(())
}

pub(super) async fn times_are_stored_to_the_millisecond(passkeys: PasskeyCases) -> Checked {
    for (created, used) in [
        (REGISTERED + 789, REGISTERED + 790),
        (REGISTERED + 998, REGISTERED + 999),
        // Longer than a 32-bit number of seconds.
        (4_102_444_799_999, 4_294_967_296_001),
        // The hours around the ends of summer times, in which local times occur twice.
        (1_792_888_200_500, 1_792_891_800_500),
    ] {
        let mut passkey = passkey(&user()?)?;
        (passkey.created_at, passkey.last_used_at) = (at(created), Some(at(used)));
        let mut passkey = passkeys.store(passkey).await?;
        is_found(&passkeys, &passkey).await?;
        let seen = PasskeyUse::new(passkey.counter, passkey.backed_up, at(used + 1));
        ensure!(
            passkeys.record_use(&passkey.id, None, &seen).await?,
            "`record_use` of a passkey returned false"
        );
        passkey.last_used_at = Some(seen.last_used_at);
        passkeys.must_be(&passkey, "after a `record_use`").await?;
        passkeys.delete(&passkey).await?;
    }
    Ok(())
}
