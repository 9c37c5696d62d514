//! What is found, and what is not.

use super::{Fields, UserCases};
use crate::testing::conformance::failures::{Broken, Operation, ensure};
use crate::testing::conformance::fresh::{address, almost};
use crate::testing::conformance::suite::Checked;
use crate::user::{AuthUser, UserChange, UserId};

pub(super) async fn a_created_user_is_found<U: AuthUser>(users: UserCases<U>) -> Checked {
    let email = address()?;
    let created = users.repository.create(users.new_user_at(&email)?).await.of("create")?;
    let new = [
        UserChange::Name("Ada".to_owned()),
        UserChange::Email(email.clone()),
        UserChange::Password("hash".to_owned()),
        UserChange::EmailVerifiedAt(None),
        UserChange::TwoFactorSecret(None),
        UserChange::TwoFactorRecoveryCodes(None),
        UserChange::TwoFactorConfirmedAt(None),
        UserChange::PasswordConfirmedAt(None),
    ];
    let expected = Fields::of(&created).with(&new);
    Fields::of(&created).must_be(&expected, "in the record that `create` returned")?;
    ensure!(
        U::Id::from_text(&created.id().to_text()).is_some(),
        "the id {:?} of the record that `create` returned cannot be parsed again",
        created.id().to_text()
    );
    users.stored(created.id()).await?.must_be(&expected, "in the record that `find_by_id` found")?;
    let Some(found) = users.find_by_address(&email).await? else {
        return Err(Broken::new(
            "`find_by_field` does not find the address of a user that `create` has created",
        ));
    };
    Fields::of(&found).must_be(&expected, "in the record that `find_by_field` found by its address")?;
    // A second user has another id.
    let another = users.create().await?;
    ensure!(
        another.id().to_text() != created.id().to_text(),
        "two users have the id {:?}",
        created.id().to_text()
    );
    users.stored(created.id()).await?.must_be(&expected, "after another user was created")
}

pub(super) async fn an_unknown_user_is_none<U: AuthUser>(users: UserCases<U>) -> Checked {
    // Somebody must be there who could be found by mistake.
    users.create().await?;
    let unknown = users.unknown_id()?;
    ensure!(
        users.find_by_id(&unknown).await?.is_none(),
        "`find_by_id` found a user with the id {:?}, which no user should have",
        unknown.to_text()
    );
    for unknown in [address()?.as_str(), "' OR ''='", "%", ""] {
        ensure!(
            users.find_by_address(unknown).await?.is_none(),
            "`find_by_field` found a user with the address {unknown:?}, which nobody has"
        );
    }
    Ok(())
}

pub(super) async fn an_address_is_compared_exactly<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    let pattern = ("by the wildcard `%`", user.email().replacen('-', "%", 1));
    let character = ("by the wildcard `_`", user.email().replacen('-', "_", 1));
    for (difference, other) in almost(user.email()).into_iter().chain([pattern, character]) {
        ensure!(
            users.find_by_address(&other).await?.is_none(),
            "`find_by_field` with the address {other:?} found a user whose address differs {difference}: {:?}",
            user.email()
        );
    }
    Ok(())
}
