//! An address belongs to one user.

use super::{UserCases, is_taken};
use crate::repository::RepositoryError;
use crate::testing::conformance::failures::{Broken, Operation, ensure, error_text};
use crate::testing::conformance::fresh::address;
use crate::testing::conformance::suite::Checked;
use crate::user::{AuthUser, UserChange, UserId, UserPatch};

fn email(address: &str) -> UserChange {
    UserChange::Email(address.to_owned())
}

pub(super) async fn create_refuses_an_address_that_is_taken<U: AuthUser>(users: UserCases<U>) -> Checked {
    let owner = users.create().await?;
    let before = users.stored(owner.id()).await?;
    match users.repository.create(users.new_user_at(owner.email())?).await {
        Err(RepositoryError::EmailTaken) => {}
        Err(error) => {
            let error = error_text(&error);
            return Err(Broken::new(format!("`create` with the address of another user returned {error}")));
        }
        Ok(_) => return Err(Broken::new("`create` has created a second user with one address")),
    }
    users.stored(owner.id()).await?.must_be(&before, "after a refused `create`")?;
    let found = users.find_by_address(owner.email()).await?.map(|user| user.id().to_text());
    ensure!(
        found == Some(owner.id().to_text()),
        "after a refused `create`, the address belongs to the id {found:?}"
    );
    Ok(())
}

pub(super) async fn save_refuses_an_address_that_is_taken<U: AuthUser>(users: UserCases<U>) -> Checked {
    let (owner, other) = (users.create().await?, users.create().await?);
    let patch = || UserPatch::new(other.id().clone()).with(email(owner.email()));
    let what = "`save` with the address of another user";
    users.refused(&other, (what, ""), patch(), is_taken).await?;
    let with_name = patch().with(UserChange::Name("Bob".to_owned())).with(UserChange::EmailVerifiedAt(None));
    users.refused(&other, (what, ""), with_name, is_taken).await?;
    let conditional = patch().only_if(UserChange::Password("hash".to_owned()));
    users
        .refused(&other, ("a conditional `save` with the address of another user", ""), conditional, is_taken)
        .await?;
    let found = users.find_by_address(owner.email()).await?.map(|user| user.id().to_text());
    ensure!(
        found == Some(owner.id().to_text()),
        "after a refused `save`, the address belongs to the id {found:?}"
    );
    Ok(())
}

pub(super) async fn a_user_may_keep_the_own_address<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    let same = || UserPatch::new(user.id().clone()).with(email(user.email()));
    for (what, patch) in [
        ("a patch with the user's own address", same()),
        (
            "a patch with the user's own address and a new name",
            same().with(UserChange::Name("Bob".to_owned())),
        ),
    ] {
        if let Err(error) = users.repository.save(patch).await {
            return Err(Broken::new(format!("{what} returned {}", error_text(&error))));
        }
    }
    let expected = super::Fields::of(&user).with(&[UserChange::Name("Bob".to_owned())]);
    users.stored(user.id()).await?.must_be(&expected, "after a patch with the user's own address")
}

pub(super) async fn an_address_that_was_given_up_is_free<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    users.save(UserPatch::new(user.id().clone()).with(email(&address()?))).await?;
    ensure!(
        users.find_by_address(user.email()).await?.is_none(),
        "`find_by_field` finds a user by the address from before a patch"
    );
    let next = users.repository.create(users.new_user_at(user.email())?).await.of("create")?;
    let found = users.find_by_address(user.email()).await?.map(|user| user.id().to_text());
    ensure!(found == Some(next.id().to_text()), "an address that was given up belongs to the id {found:?}");
    Ok(())
}
