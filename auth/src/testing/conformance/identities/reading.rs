//! What is stored and found.

use super::{ISSUER, IdentityCases, identity};
use crate::repository::IdentityRecord;
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{at, id, last_changed, token};
use crate::testing::conformance::rows::{
    CREATED, OwnedRow as _, OwnedRows as _, is_found, is_stored, keys_are_compared_exactly, user,
};
use crate::testing::conformance::suite::Checked;

pub(super) async fn an_identity_is_found_with_every_field(identities: IdentityCases) -> Checked {
    is_stored(&identities, identity(&user()?)?).await?;
    // An identity without the fields that are optional, and one with an address that is empty and not null.
    let bare = IdentityRecord::new(id()?, user()?, ISSUER, token()?, at(CREATED));
    is_stored(&identities, bare).await?;
    is_stored(&identities, identity(&user()?)?.with_text("")).await
}

/// Issuers and subjects that differ from these as little as they can, with the difference.
fn almost(issuer: &str, subject: &str) -> Vec<(&'static str, (String, String))> {
    let ((first, rest), (begin, _)) = (subject.split_at(1), subject.split_at(subject.len() - 1));
    let others = [
        (
            "whose issuer has the first character of the subject at its end",
            (format!("{issuer}{first}"), rest.to_owned()),
        ),
        ("whose subject differs in case", (issuer.to_owned(), subject.to_ascii_uppercase())),
        (
            "whose subject differs by its last character, which is missing",
            (issuer.to_owned(), begin.to_owned()),
        ),
        (
            "whose subject differs by its first character, which is missing",
            (issuer.to_owned(), rest.to_owned()),
        ),
        ("whose subject differs by a zero at its beginning", (issuer.to_owned(), format!("0{subject}"))),
        ("whose subject differs by a space at its end", (issuer.to_owned(), format!("{subject} "))),
        ("whose subject differs by a space at its beginning", (issuer.to_owned(), format!(" {subject}"))),
        ("whose subject differs by its end", (issuer.to_owned(), format!("{subject}-2"))),
        ("whose issuer differs in case", (issuer.to_ascii_uppercase(), subject.to_owned())),
        ("whose issuer differs by a slash at its end", (format!("{issuer}/"), subject.to_owned())),
        ("whose issuer differs by a space at its end", (format!("{issuer} "), subject.to_owned())),
        (
            "whose issuer is the subject, and whose subject is the issuer",
            (subject.to_owned(), issuer.to_owned()),
        ),
    ];
    others.to_vec()
}

pub(super) async fn issuers_and_subjects_are_compared_exactly(identities: IdentityCases) -> Checked {
    let (subject, token) = (token()?, token()?);
    // A text in which case matters, and one that looks like a number. The issuer occurs nowhere else.
    for subject in [format!("a{subject}"), format!("1{}e5", subject.replace(char::is_alphabetic, "7"))] {
        let issuer = format!("{ISSUER}/{token}");
        let own = identity(&user()?)?.with_key((issuer.clone(), subject.clone()));
        keys_are_compared_exactly(&identities, own, almost(&issuer, &subject)).await?;
    }
    Ok(())
}

pub(super) async fn each_issuer_has_its_own_subjects(identities: IdentityCases) -> Checked {
    let (own, other) = (user()?, user()?);
    let (issuers, subjects) = ([token()?, token()?], [token()?, token()?]);
    let mut stored = Vec::new();
    for (number, issuer) in issuers.iter().enumerate() {
        for (place, subject) in subjects.iter().enumerate() {
            let user = if number == place { &own } else { &other };
            let identity = identity(user)?.with_key((issuer.clone(), subject.clone()));
            ensure!(
                identities.insert(identity.clone()).await?,
                "`insert` returned false although there are only identities with another issuer or another subject"
            );
            stored.push(identity);
        }
    }
    for identity in &stored {
        identities.must_be(identity, "with four identities of two subjects at two issuers").await?;
    }
    while let Some(identity) = stored.pop() {
        identities.delete(&identity).await?;
        let place = "after a `delete` of an identity with another issuer or another subject";
        for left in &stored {
            identities.must_be(left, place).await?;
        }
    }
    Ok(())
}

/// An issuer and a subject of one character each, with which there is no identity. The database of a host may have some.
async fn one_character(identities: &IdentityCases) -> Result<(String, String), Broken> {
    for issuer in 'a'..='z' {
        for subject in '0'..='9' {
            let key = (issuer.to_string(), subject.to_string());
            if identities.find(&key).await?.is_none() {
                return Ok(key);
            }
        }
    }
    Err(Broken::new("there is an identity for each issuer and subject of one character"))
}

pub(super) async fn the_largest_values_have_room(identities: IdentityCases) -> Checked {
    is_stored(&identities, identity(&user()?)?.with_key(one_character(&identities).await?)).await?;

    let user = user()?;
    let mut large = identity(&format!("{user}{}", "\u{1f600}".repeat((512 - user.len()) / 4)))?;
    ensure!(large.user_id.len() == 512, "the suite's user id has {} bytes", large.user_id.len());
    large.provider = "p-".repeat(16);
    large.issuer = format!("{ISSUER}/{}", "i".repeat(254 - ISSUER.len()));
    large.subject = format!("{}\u{e9}{}", large.subject, "s".repeat(510 - large.subject.len()));
    large.email = Some(format!("ab{}", "\u{1f511}".repeat(63)));
    let mut large = identities.store(large).await?;
    is_found(&identities, &large).await?;
    let inserted = identities.insert(identity(&user)?.with_key(large.key())).await?;
    ensure!(
        !inserted,
        "`insert` returned true although there is an identity with this issuer of 255 bytes and this subject of 512"
    );
    // The whole issuer and the whole subject are compared, and not only their beginnings.
    for (issuer, subject) in [
        (last_changed(&large.issuer), large.subject.clone()),
        (large.issuer.clone(), last_changed(&large.subject)),
    ] {
        let place =
            "after an `insert` of an issuer of 255 bytes and a subject of 512, of which another one differs";
        identities.must_be_none(&(issuer, subject), place).await?;
    }
    large.email = Some(format!("{}\u{1f5dd}", "e".repeat(250)));
    ensure!(
        identities.record(&large.id, &large).await?,
        "`record_use` with an address of 254 bytes returned false"
    );
    identities.must_be(&large, "after a `record_use`").await?;
    identities.delete(&large).await?;
    Ok(())
}
