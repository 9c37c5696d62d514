//! What a patch writes.

use super::{Fields, UserCases, is_stale};
use crate::repository::RepositoryError;
use crate::testing::conformance::failures::{Broken, Operation, ensure, error_text};
use crate::testing::conformance::fresh::{TEXTS, address, at, token};
use crate::testing::conformance::suite::Checked;
use crate::user::{AuthUser, UserChange, UserId, UserPatch};
use std::time::SystemTime;

/// A patch with these changes.
fn patch<U: AuthUser>(user: &U, changes: &[UserChange]) -> UserPatch<U> {
    changes.iter().cloned().fold(UserPatch::new(user.id().clone()), UserPatch::with)
}

/// Saves these changes, and checks the record that is returned and the one that is stored.
async fn saves<U: AuthUser>(users: &UserCases<U>, user: &U, changes: &[UserChange]) -> Checked {
    let expected = users.stored(user.id()).await?.with(changes);
    let names: Vec<_> = changes.iter().map(|change| format!("`{}`", change.field().wire_name())).collect();
    let names = names.join(", ");
    let saved = users.save(patch(user, changes)).await?;
    Fields::of(&saved)
        .must_be(&expected, &format!("in the record that `save` returned for a patch of {names}"))?;
    users.stored(user.id()).await?.must_be(&expected, &format!("after a patch of {names}"))
}

/// A change of every field that can change.
fn changes(time: SystemTime) -> Result<Vec<UserChange>, Broken> {
    Ok(vec![
        UserChange::Name("Grace".to_owned()),
        UserChange::Email(address()?),
        UserChange::Password("another hash".to_owned()),
        UserChange::EmailVerifiedAt(Some(time)),
        UserChange::TwoFactorSecret(Some("secret".to_owned())),
        UserChange::TwoFactorRecoveryCodes(Some("codes".to_owned())),
        UserChange::TwoFactorConfirmedAt(Some(time)),
        UserChange::PasswordConfirmedAt(Some(time)),
    ])
}

/// No fraction of a second.
const TIME: u64 = 1_795_000_001_000;

pub(super) async fn a_patch_writes_its_field_and_no_other<U: AuthUser>(users: UserCases<U>) -> Checked {
    let (user, bystander) = (users.create().await?, users.create().await?);
    for change in changes(at(TIME))? {
        saves(&users, &user, &[change]).await?;
    }
    let place = "after a patch of another user";
    users.stored(bystander.id()).await?.must_be(&Fields::of(&bystander), place)
}

pub(super) async fn several_fields_are_written_at_once<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    saves(&users, &user, &changes(at(TIME))?).await?;
    // Values and nulls in one patch.
    let mixed = [
        UserChange::EmailVerifiedAt(None),
        UserChange::Name("Ada".to_owned()),
        UserChange::TwoFactorRecoveryCodes(None),
        UserChange::PasswordConfirmedAt(Some(at(TIME + 1_000))),
    ];
    saves(&users, &user, &mixed).await
}

pub(super) async fn a_nullable_field_is_set_to_null<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    users.save(patch(&user, &changes(at(TIME))?)).await?;
    for change in [
        UserChange::EmailVerifiedAt(None),
        UserChange::TwoFactorSecret(None),
        UserChange::TwoFactorRecoveryCodes(None),
        UserChange::TwoFactorConfirmedAt(None),
        UserChange::PasswordConfirmedAt(None),
    ] {
        saves(&users, &user, &[change]).await?;
    }
    Ok(())
}

pub(super) async fn a_patch_without_changes_returns_the_record<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    let nothing = || UserPatch::new(user.id().clone());
    saves(&users, &user, &[]).await?;
    let saved = users.save(nothing().only_if(UserChange::Password("hash".to_owned()))).await?;
    Fields::of(&saved).must_be(&Fields::of(&user), "in the record that a patch without changes returned")?;
    let unmet = nothing().only_if(UserChange::Password("an older hash".to_owned()));
    users.refused(&user, ("a patch without changes whose condition is not met", ""), unmet, is_stale).await
}

pub(super) async fn an_unknown_id_is_an_error_and_not_stale<U: AuthUser>(users: UserCases<U>) -> Checked {
    let id = users.unknown_id()?;
    let nobody = || UserPatch::new(id.clone());
    let (name, email) = (UserChange::Name("Bob".to_owned()), address()?);
    for (what, patch) in [
        ("a patch without changes", nobody()),
        ("a patch of the name", nobody().with(name.clone())),
        ("a patch of the address", nobody().with(UserChange::Email(email.clone()))),
        ("a conditional patch", nobody().with(name).only_if(UserChange::Password("hash".to_owned()))),
        ("a patch on a null condition", nobody().only_if(UserChange::TwoFactorSecret(None))),
    ] {
        match users.repository.save(patch).await {
            Err(RepositoryError::Other(_)) => {}
            Err(error) => {
                let error = error_text(&error);
                return Err(Broken::new(format!("{what} for an id that no user has returned {error}")));
            }
            Ok(_) => return Err(Broken::new(format!("{what} for an id that no user has returned a record"))),
        }
    }
    ensure!(
        users.find_by_id(&id).await?.is_none() && users.find_by_address(&email).await?.is_none(),
        "`save` created a user with the unknown id {:?}",
        id.to_text()
    );
    Ok(())
}

pub(super) async fn texts_are_stored_unchanged<U: AuthUser>(users: UserCases<U>) -> Checked {
    for text in TEXTS {
        let mut new = users.new_user()?;
        (*text).clone_into(&mut new.name);
        let user = users.repository.create(new).await.of("create")?;
        let named = Fields::of(&user).with(&[UserChange::Name((*text).to_owned())]);
        Fields::of(&user).must_be(&named, "in the record that `create` returned")?;
        users.stored(user.id()).await?.must_be(&named, "after `create`")?;
        let changes = [
            UserChange::Password((*text).to_owned()),
            UserChange::TwoFactorSecret(Some((*text).to_owned())),
            UserChange::TwoFactorRecoveryCodes(Some((*text).to_owned())),
        ];
        saves(&users, &user, &changes).await?;
        // A text is bound as a parameter in a condition, too.
        let rename = UserPatch::new(user.id().clone()).with(UserChange::Name("Ada".to_owned()));
        users.save(rename.only_if(UserChange::Password((*text).to_owned()))).await?;
    }
    Ok(())
}

pub(super) async fn long_texts_are_stored_unchanged<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    let email = address()?;
    let changes = [
        UserChange::Name("\u{1f680}".repeat(255)),
        UserChange::Password("h".repeat(255)),
        UserChange::TwoFactorSecret(Some("s".repeat(1 << 10))),
        UserChange::TwoFactorRecoveryCodes(Some("r".repeat(8 << 10))),
        UserChange::Email(format!("{email}{}", "d".repeat(254 - email.len()))),
    ];
    for change in changes {
        saves(&users, &user, &[change]).await?;
    }
    let found = users.stored(user.id()).await?;
    // A comparison must not stop at a length either.
    let shorter = UserChange::TwoFactorRecoveryCodes(Some("r".repeat((8 << 10) - 1)));
    let unmet = UserPatch::new(user.id().clone()).with(UserChange::Name(token()?)).only_if(shorter);
    users
        .refused(
            &user,
            ("a patch whose condition differs from the stored codes in the last byte", ""),
            unmet,
            is_stale,
        )
        .await?;
    users.stored(user.id()).await?.must_be(&found, "after a refused patch")
}

pub(super) async fn times_are_stored_to_the_second<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    // Odd and even seconds, the last second of a leap day, and the hours around the ends of summer times, in which local
    // times occur twice.
    for time in [
        1_795_000_001,
        1_795_000_002,
        1_835_481_599,
        1_792_888_200,
        1_792_891_800,
        1_793_511_000,
        1_793_514_600,
    ] {
        let time = Some(at(time * 1_000));
        let changes = [
            UserChange::EmailVerifiedAt(time),
            UserChange::TwoFactorConfirmedAt(time),
            UserChange::PasswordConfirmedAt(time),
        ];
        saves(&users, &user, &changes).await?;
    }
    Ok(())
}
