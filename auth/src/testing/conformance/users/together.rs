//! Several writes at the same time.

use super::{Fields, UserCases};
use crate::repository::RepositoryError;
use crate::testing::conformance::failures::{Broken, ensure, error_text};
use crate::testing::conformance::fresh::address;
use crate::testing::conformance::race::{ROUNDS, TASKS, both, race};
use crate::testing::conformance::suite::Checked;
use crate::user::{AuthUser, UserChange, UserId, UserPatch};

/// `Some` if the write succeeded, `None` if it was refused as it should be.
pub(super) fn outcome<U>(
    result: Result<U, RepositoryError>,
    operation: &str,
    refusal: fn(&RepositoryError) -> bool,
) -> Result<Option<U>, Broken> {
    match result {
        Ok(user) => Ok(Some(user)),
        Err(error) if refusal(&error) => Ok(None),
        Err(error) => {
            Err(Broken::new(format!("`{operation}` returned {} in a race that it lost", error_text(&error))))
        }
    }
}

pub(super) async fn one_of_a_hundred_creates_an_address<U: AuthUser>(users: UserCases<U>) -> Checked {
    for _ in 0..ROUNDS {
        let email = address()?;
        let results = race(TASKS, |_| {
            let (users, new) = (users.clone(), users.new_user_at(&email));
            async move { outcome(users.repository.create(new?).await, "create", super::is_taken) }
        });
        let created: Vec<_> = results.await?.into_iter().flatten().collect();
        let number = created.len();
        ensure!(number == 1, "{number} of {TASKS} concurrent calls of `create` with one address succeeded");
        let found = users.find_by_address(&email).await?.map(|user| user.id().to_text());
        let own = created.first().map(|user| user.id().to_text());
        ensure!(
            found == own,
            "the address belongs to the id {found:?} instead of {own:?}, whose `create` succeeded"
        );
    }
    Ok(())
}

pub(super) async fn one_of_ten_saves_an_address<U: AuthUser>(users: UserCases<U>) -> Checked {
    const USERS: usize = 10;
    let mut ids = Vec::new();
    for _ in 0..USERS {
        ids.push(users.create().await?.id().clone());
    }
    for _ in 0..ROUNDS {
        let email = address()?;
        let patches: Vec<_> = ids
            .iter()
            .map(|id| UserPatch::<U>::new(id.clone()).with(UserChange::Email(email.clone())))
            .collect();
        let results = race(USERS, |number| {
            let (users, patch) = (users.clone(), patches.get(number).cloned());
            async move {
                let Some(patch) = patch else { return Ok(None) };
                outcome(users.repository.save(patch).await, "save", super::is_taken)
            }
        });
        let saved: Vec<_> = results.await?.into_iter().flatten().collect();
        let number = saved.len();
        ensure!(number == 1, "{number} of {USERS} users have taken one address at the same time");
        let found = users.find_by_address(&email).await?.map(|user| user.id().to_text());
        let own = saved.first().map(|user| user.id().to_text());
        ensure!(
            found == own,
            "the address belongs to the id {found:?} instead of {own:?}, whose `save` succeeded"
        );
    }
    Ok(())
}

/// Lets a hundred patches expect `current`, each with another new value. Returns the value that was written.
async fn swap<U: AuthUser>(
    users: &UserCases<U>,
    id: &U::Id,
    current: &UserChange,
    new: impl Fn(usize) -> UserChange,
) -> Result<UserChange, Broken> {
    let results = race(TASKS, |number| {
        let (users, new) = (users.clone(), new(number));
        let patch = UserPatch::new(id.clone()).with(new.clone()).only_if(current.clone());
        async move {
            let saved = outcome(users.repository.save(patch).await, "save", super::is_stale)?;
            Ok(saved.map(|saved| (new, Fields::of(&saved))))
        }
    });
    let mut applied: Vec<_> = results.await?.into_iter().flatten().collect();
    let number = applied.len();
    let field = current.field().wire_name();
    let Some((new, fields)) = applied.pop().filter(|_| number == 1) else {
        return Err(Broken::new(format!(
            "{number} of {TASKS} concurrent patches that expect one `{field}` were applied"
        )));
    };
    users.stored(id).await?.must_be(&fields, "after the patch that succeeded")?;
    let as_returned = fields.clone().with(std::slice::from_ref(&new));
    fields.must_be(&as_returned, "in the record of the patch that succeeded")?;
    Ok(new)
}

pub(super) async fn one_of_a_hundred_conditional_patches_applies<U: AuthUser>(
    users: UserCases<U>,
) -> Checked {
    let user = users.create().await?;
    let mut current = UserChange::Password("hash".to_owned());
    for round in 0..ROUNDS {
        let new = |number| UserChange::Password(format!("hash {round}/{number}"));
        current = swap(&users, user.id(), &current, new).await?;
    }
    Ok(())
}

pub(super) async fn one_of_a_hundred_uses_a_recovery_code<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    // The first write expects null, as when two-factor authentication is enabled.
    let mut current = UserChange::TwoFactorRecoveryCodes(None);
    for round in 0..ROUNDS {
        let new = |number| UserChange::TwoFactorRecoveryCodes(Some(format!("codes {round}/{number}")));
        current = swap(&users, user.id(), &current, new).await?;
    }
    Ok(())
}

pub(super) async fn patches_of_different_fields_do_not_undo_each_other<U: AuthUser>(
    users: UserCases<U>,
) -> Checked {
    let user = users.create().await?;
    let patch = |change: UserChange| {
        let (users, patch) = (users.clone(), UserPatch::new(user.id().clone()).with(change));
        async move { users.save(patch).await }
    };
    for round in 0..20 {
        let name = UserChange::Name(format!("Ada {round}"));
        let secret = UserChange::TwoFactorSecret(Some(format!("secret {round}")));
        both(patch(name.clone()), patch(secret.clone())).await?;
        let expected = Fields::of(&user).with(&[name, secret]);
        users
            .stored(user.id())
            .await?
            .must_be(&expected, "after two concurrent patches, of `name` and `twoFactorSecret`")?;
    }
    Ok(())
}
