//! What is stored and found.

use super::{ApiTokenCases, BASE62, characters, ending, token};
use crate::repository::ApiTokenRecord;
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::{almost, at, last_changed};
use crate::testing::conformance::rows::{
    OwnedRow as _, OwnedRows as _, USED, is_found, is_stored, keys_are_compared_exactly, user,
};
use crate::testing::conformance::suite::Checked;
use std::array::from_fn;

pub(super) async fn a_token_is_found_with_every_field(tokens: ApiTokenCases) -> Checked {
    is_stored(&tokens, token(&user()?)?).await?;
    // A token that was never used, with the shortest texts.
    let bare = token(&user()?)?.with_text("n");
    is_stored(&tokens, ApiTokenRecord { scopes: vec!["s".to_owned()], last_used_at: None, ..bare }).await
}

pub(super) async fn scopes_are_found_in_their_order(tokens: ApiTokenCases) -> Checked {
    let many: Vec<_> = (1..=64).map(|number| number.to_string()).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    for scopes in [
        &["orders:read"][..],
        &["orders:write", "orders:read", "orders"],
        &["customers", "a", "b"],
        &["null"],
        &[":", ".", "_", "-", "0"],
        &many,
    ] {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        is_stored(&tokens, ApiTokenRecord { scopes, ..token(&user()?)? }).await?;
    }
    Ok(())
}

pub(super) async fn hashes_are_stored_unchanged(tokens: ApiTokenCases) -> Checked {
    // Every byte, and each 32nd of them at the beginning and at the end: 0, and a space.
    for number in 0..8_u8 {
        let bytes: [u8; 32] = from_fn(|place| number * 32 + place as u8);
        let mut reversed = bytes;
        reversed.reverse();
        for secret_hash in [bytes, reversed] {
            is_stored(&tokens, ApiTokenRecord { secret_hash, ..token(&user()?)? }).await?;
        }
    }
    Ok(())
}

pub(super) async fn expired_tokens_are_found(tokens: ApiTokenCases) -> Checked {
    is_stored(&tokens, ending(&user()?, 1_000_000_000_000)?).await
}

pub(super) async fn ids_are_compared_exactly(tokens: ApiTokenCases) -> Checked {
    let begin = characters(9, BASE62)?;
    let own = tokens.store(token(&user()?)?.with_id(format!("{begin}1as"))).await?;
    for (difference, other) in almost(&own.id) {
        let whose = format!("a token {:?}, whose id differs {difference}", own.id);
        tokens.must_be_none(&other, &format!("after an `insert` of {whose}")).await?;
        let recorded = tokens.record_use(&other, at(USED), at(USED + 1_000)).await?;
        ensure!(!recorded, "`record_use` with the id {other:?} returned true, with {whose}");
        let deleted = tokens.delete_of(&own.user_id, &other).await?;
        ensure!(!deleted, "`delete` with the id {other:?} returned true, with {whose}");
    }
    tokens.must_be(&own, "after a `record_use` and a `delete` that returned false").await?;
    tokens.delete(&own).await?;

    let others = vec![
        ("whose id differs in the case of a letter", format!("{begin}1aS")),
        ("whose id differs in the case of two letters", format!("{begin}1AS")),
        ("whose id differs in its last character", format!("{begin}1ax")),
    ];
    keys_are_compared_exactly(&tokens, own, others).await?;

    // Ids that look like numbers.
    let digits = characters(7, b"0123456789")?;
    let own = token(&user()?)?.with_id(format!("1{digits}0e10"));
    let others = vec![("whose id is the same number", format!("01{digits}e11"))];
    keys_are_compared_exactly(&tokens, own, others).await
}

pub(super) async fn the_largest_values_have_room(tokens: ApiTokenCases) -> Checked {
    let user = user()?;
    let mut large = token(&format!("{user}{}", "\u{1f600}".repeat((512 - user.len()) / 4)))?;
    ensure!(large.user_id.len() == 512, "the suite's user id has {} bytes", large.user_id.len());
    large.name = "\u{1f511}".repeat(64);
    large.scopes =
        (10..74).map(|number| format!("{}-{number}", "orders:read._".repeat(5).split_at(61).0)).collect();
    let mut large = tokens.store(large).await?;
    is_found(&tokens, &large).await?;
    // The whole id of the user is compared, and not only its beginning.
    let other = last_changed(&large.user_id);
    let whose = "a token of a user whose id of 512 bytes differs in its last character";
    ensure!(tokens.of_user(&other).await?.is_empty(), "`find_by_user` finds {whose}");
    ensure!(!tokens.delete_of(&other, &large.id).await?, "`delete` deleted {whose}");
    let deleted = tokens.delete_all(&other).await?;
    ensure!(deleted == 0, "`delete_all` deleted {whose}");
    large.last_used_at = Some(at(USED + 60_000));
    ensure!(
        tokens.record(&large.id, &large).await?,
        "`record_use` of a token with the largest values returned false"
    );
    tokens.must_be(&large, "after a `record_use`").await?;
    tokens.delete(&large).await?;
    Ok(())
}
