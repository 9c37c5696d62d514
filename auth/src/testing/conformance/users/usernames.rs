//! A user name belongs to one user, in a record that has one.

use super::{Fields, UserCases, is_taken, is_username_taken};
use crate::repository::RepositoryError;
use crate::testing::conformance::failures::{Broken, Operation, ensure, error_text};
use crate::testing::conformance::fresh::{almost, quoted, username};
use crate::testing::conformance::race::{ROUNDS, TASKS, race};
use crate::testing::conformance::suite::Checked;
use crate::user::{AuthUser, UserChange, UserField, UserId, UserPatch, UsernameField};

fn named(username: &str) -> UserChange {
    UserChange::Username(Some(username.to_owned()))
}

impl<U: AuthUser> UserCases<U> {
    /// A user with a user name of its own, and that name. `None`: the record has no user name, and the case has nothing to check.
    async fn create_named(&self) -> Result<Option<(U, String)>, Broken> {
        if !U::USERNAME.is_present() {
            return Ok(None);
        }
        let username = username()?;
        let new = self.new_user()?.with_username(username.clone());
        Ok(Some((self.repository.create(new).await.of("create")?, username)))
    }

    async fn owner_of(&self, username: &str) -> Result<Option<String>, Broken> {
        let found = self.repository.find_by_field(UserField::Username, username).await.of("find_by_field")?;
        Ok(found.map(|user| user.id().to_text()))
    }

    /// Fails unless this user has the user name. `place` says when.
    async fn must_own(&self, owner: &U, username: &str, place: &str) -> Checked {
        let found = self.owner_of(username).await?;
        let is_owner = found == Some(owner.id().to_text());
        ensure!(is_owner, "{place}, the user name belongs to the id {found:?}");
        Ok(())
    }
}

pub(super) async fn a_user_name_is_stored_and_compared_exactly<U: AuthUser>(users: UserCases<U>) -> Checked {
    let Some((user, username)) = users.create_named().await? else { return Ok(()) };
    let expected = Fields::of(&user).with(&[named(&username)]);
    Fields::of(&user).must_be(&expected, "in the record that `create` returned for a user name")?;
    users.stored(user.id()).await?.must_be(&expected, "after `create` with a user name")?;
    users.must_own(&user, &username, "after `create`").await?;
    let unknown = self::username()?;
    ensure!(
        users.owner_of(&unknown).await?.is_none(),
        "`find_by_field` found a user by an unknown user name"
    );
    for (difference, other) in almost(&username) {
        ensure!(
            users.owner_of(&other).await?.is_none(),
            "`find_by_field` with the user name {} found a user whose user name differs {difference}: {}",
            quoted(&other),
            quoted(&username)
        );
    }
    Ok(())
}

pub(super) async fn create_refuses_a_user_name_that_is_taken<U: AuthUser>(users: UserCases<U>) -> Checked {
    let Some((owner, username)) = users.create_named().await? else { return Ok(()) };
    match users.repository.create(users.new_user()?.with_username(username.clone())).await {
        Err(RepositoryError::UsernameTaken) => {}
        Err(error) => {
            let error = error_text(&error);
            return Err(Broken::new(format!("`create` with the user name of another user returned {error}")));
        }
        Ok(_) => return Err(Broken::new("`create` has created a second user with one user name")),
    }
    users.must_own(&owner, &username, "after a refused `create`").await
}

pub(super) async fn save_refuses_a_user_name_that_is_taken<U: AuthUser>(users: UserCases<U>) -> Checked {
    let Some((owner, username)) = users.create_named().await? else { return Ok(()) };
    let other = users.create().await?;
    let patch = UserPatch::new(other.id().clone()).with(named(&username));
    let what = "`save` with the user name of another user";
    users.refused(&other, (what, ""), patch.clone(), is_username_taken).await?;
    let with_name = patch.with(UserChange::Name("Bob".to_owned()));
    users.refused(&other, (what, ""), with_name, is_username_taken).await?;
    users.must_own(&owner, &username, "after a refused `save`").await
}

pub(super) async fn a_taken_address_is_reported_before_a_taken_user_name<U: AuthUser>(
    users: UserCases<U>,
) -> Checked {
    let Some((owner, username)) = users.create_named().await? else { return Ok(()) };
    let other = users.create().await?;
    let new = users.new_user_at(owner.email())?.with_username(username.clone());
    match users.repository.create(new).await {
        Err(RepositoryError::EmailTaken) => {}
        Err(error) => {
            let error = error_text(&error);
            return Err(Broken::new(format!(
                "`create` with an address and a user name of others returned {error}"
            )));
        }
        Ok(_) => return Err(Broken::new("`create` has created a second user with one address")),
    }
    let both = UserPatch::new(other.id().clone())
        .with(named(&username))
        .with(UserChange::Email(owner.email().to_owned()));
    users.refused(&other, ("`save` with an address and a user name of others", ""), both, is_taken).await?;
    // The user's own address is not taken.
    let own = UserPatch::new(other.id().clone())
        .with(UserChange::Email(other.email().to_owned()))
        .with(named(&username));
    let what = "`save` with the user's own address and the user name of another user";
    users.refused(&other, (what, ""), own, is_username_taken).await
}

pub(super) async fn a_user_name_that_was_given_up_is_free<U: AuthUser>(users: UserCases<U>) -> Checked {
    let Some((user, username)) = users.create_named().await? else { return Ok(()) };
    let patch = |change| UserPatch::new(user.id().clone()).with(change);
    // The user may keep it, too.
    users.save(patch(named(&username))).await?;
    users.save(patch(named(&self::username()?))).await?;
    ensure!(
        users.owner_of(&username).await?.is_none(),
        "`find_by_field` finds a user by the user name from before a patch"
    );
    let next =
        users.repository.create(users.new_user()?.with_username(username.clone())).await.of("create")?;
    users.must_own(&next, &username, "after it was given up").await
}

pub(super) async fn users_without_a_user_name_do_not_exclude_each_other<U: AuthUser>(
    users: UserCases<U>,
) -> Checked {
    if U::USERNAME != UsernameField::Optional {
        return Ok(());
    }
    for _ in 0..2 {
        let user = users.create().await?;
        let nameless = Fields::of(&user).with(&[UserChange::Username(None)]);
        users.stored(user.id()).await?.must_be(&nameless, "after `create` without a user name")?;
    }
    for _ in 0..2 {
        let Some((user, _)) = users.create_named().await? else { return Ok(()) };
        let removed = UserChange::Username(None);
        users.save(UserPatch::new(user.id().clone()).with(removed.clone())).await?;
        let expected = Fields::of(&user).with(&[removed]);
        users.stored(user.id()).await?.must_be(&expected, "after a patch that removes the user name")?;
    }
    Ok(())
}

pub(super) async fn one_of_a_hundred_creates_a_user_name<U: AuthUser>(users: UserCases<U>) -> Checked {
    if !U::USERNAME.is_present() {
        return Ok(());
    }
    for _ in 0..ROUNDS {
        let username = username()?;
        let mut new = Vec::new();
        for _ in 0..TASKS {
            new.push(users.new_user()?.with_username(username.clone()));
        }
        let results = race(TASKS, |number| {
            let (users, new) = (users.clone(), new.get(number).cloned());
            async move {
                let Some(new) = new else { return Ok(None) };
                super::together::outcome(users.repository.create(new).await, "create", is_username_taken)
            }
        });
        let created: Vec<_> = results.await?.into_iter().flatten().collect();
        let number = created.len();
        let Some(owner) = created.first().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `create` with one user name succeeded"
            )));
        };
        users.must_own(owner, &username, "after concurrent calls of `create`").await?;
    }
    Ok(())
}
