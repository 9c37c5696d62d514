//! What is stored and found.

use super::{PasskeyCases, passkey};
use crate::repository::{PasskeyRecord, PasskeyUse};
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{at, bytes, id, quoted};
use crate::testing::conformance::rows::{
    CREATED, OwnedRows as _, USED, is_found, is_stored, keys_are_compared_exactly, user,
};
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_passkey_is_found_with_every_field(passkeys: PasskeyCases) -> Checked {
    is_stored(&passkeys, passkey(&user()?)?).await?;
    // A passkey without the fields that are optional.
    let bare = PasskeyRecord::new(id()?, user()?, bytes::<16>()?, bytes::<77>()?, at(CREATED));
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

/// Credential ids that differ from this one as little as they can, with the difference. There is a zero byte in the middle of it.
fn almost_bytes(credential_id: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let changed = |at: usize, bits: u8| {
        let byte = |(index, byte): (usize, &u8)| if index == at { byte ^ bits } else { *byte };
        credential_id.iter().enumerate().map(byte).collect()
    };
    let last = credential_id.len() - 1;
    let (begin, _) = credential_id.split_at(last);
    vec![
        ("whose credential id differs in the case of its first byte as a letter", changed(0, 0x20)),
        ("whose credential id differs in the highest bit of its first byte", changed(0, 0x80)),
        ("whose credential id differs in its last byte", changed(last, 1)),
        ("whose credential id differs by its last byte, which is missing", begin.to_vec()),
        ("whose credential id differs by a zero byte at its end", [credential_id, &[0]].concat()),
        ("whose credential id differs by a zero byte at its beginning", [&[0], credential_id].concat()),
        ("whose credential id differs by a space at its end", [credential_id, b" "].concat()),
        (
            "whose credential id differs by many bytes at its end",
            [credential_id, &vec![b'x'; 1023 - credential_id.len()]].concat(),
        ),
    ]
}

pub(super) async fn credential_ids_are_compared_exactly(passkeys: PasskeyCases) -> Checked {
    let mut own = passkey(&user()?)?;
    own.credential_id = [&b"a"[..], &bytes::<32>()?, &[0], &bytes::<32>()?].concat();
    let others = almost_bytes(&own.credential_id);
    keys_are_compared_exactly(&passkeys, own, others).await
}

/// A credential id of one byte that no passkey has. The database of a host may have some.
async fn one_byte(passkeys: &PasskeyCases) -> Result<Vec<u8>, Broken> {
    for byte in 0..=u8::MAX {
        if passkeys.find(&vec![byte]).await?.is_none() {
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
