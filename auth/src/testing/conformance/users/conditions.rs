//! On which conditions a patch applies.

use super::record::text;
use super::{Fields, UserCases, is_stale};
use crate::testing::conformance::failures::{Broken, Operation, error_text};
use crate::testing::conformance::fresh::{almost, at, token};
use crate::testing::conformance::suite::Checked;
use crate::user::{AuthUser, UserChange, UserPatch};

/// A patch of the name on these conditions.
fn rename<U: AuthUser>(user: &U, conditions: &[UserChange]) -> Result<UserPatch<U>, Broken> {
    let patch = UserPatch::new(user.id().clone()).with(UserChange::Name(token()?));
    Ok(conditions.iter().cloned().fold(patch, UserPatch::only_if))
}

/// `` `password` is "hash" and `name` is "Ada" ``
fn condition(conditions: &[UserChange]) -> String {
    let each = conditions.iter().map(|condition| match text(condition) {
        null if null == "null" => format!("`{}` is null", condition.field().wire_name()),
        value => format!("`{}` is {value}", condition.field().wire_name()),
    });
    each.collect::<Vec<_>>().join(" and ")
}

/// Saves a patch whose conditions are met. `why` says why they are.
async fn applies<U: AuthUser>(
    users: &UserCases<U>,
    user: &U,
    conditions: &[UserChange],
    why: &str,
) -> Checked {
    let patch = rename(user, conditions)?;
    let expected = users.stored(user.id()).await?.with(patch.changes());
    let what = format!("a patch on the condition that {}", condition(conditions));
    match users.repository.save(patch).await {
        Ok(saved) => Fields::of(&saved).must_be(&expected, &format!("in the record that {what} returned"))?,
        Err(error) => {
            return Err(Broken::new(format!("{what} returned {}, although {why}", error_text(&error))));
        }
    }
    users.stored(user.id()).await?.must_be(&expected, &format!("after {what}"))
}

/// Saves a patch that is stale. `why` says why.
async fn stale<U: AuthUser>(users: &UserCases<U>, user: &U, conditions: &[UserChange], why: &str) -> Checked {
    let what = format!("a patch on the condition that {}", condition(conditions));
    users.refused(user, (&what, &format!(", although {why}")), rename(user, conditions)?, is_stale).await
}

fn password(hash: &str) -> UserChange {
    UserChange::Password(hash.to_owned())
}

pub(super) async fn a_condition_holds_or_is_stale<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    stale(&users, &user, &[password("an older hash")], "the field is \"hash\"").await?;
    applies(&users, &user, &[password("hash")], "the field has this value").await?;
    applies(&users, &user, &[UserChange::Email(user.email().to_owned())], "the field has this value").await?;
    // A condition on the field that the patch changes is about the stored value.
    let change = || UserPatch::new(user.id().clone()).with(password("new")).only_if(password("hash"));
    users.save(change()).await?;
    users.refused(&user, ("a patch that expects a hash which was replaced", ""), change(), is_stale).await?;
    let codes = |text: &str| UserChange::TwoFactorRecoveryCodes(Some(text.to_owned()));
    users.save(UserPatch::new(user.id().clone()).with(codes("codes"))).await?;
    stale(&users, &user, &[codes("other codes")], "the field is \"codes\"").await?;
    applies(&users, &user, &[codes("codes")], "the field has this value").await
}

pub(super) async fn a_null_condition_holds_only_for_null<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    let (text, time) = (Some("text".to_owned()), Some(at(1_795_000_001_000)));
    for (null, value) in [
        (UserChange::EmailVerifiedAt(None), UserChange::EmailVerifiedAt(time)),
        (UserChange::TwoFactorSecret(None), UserChange::TwoFactorSecret(text.clone())),
        (UserChange::TwoFactorRecoveryCodes(None), UserChange::TwoFactorRecoveryCodes(text)),
        (UserChange::TwoFactorConfirmedAt(None), UserChange::TwoFactorConfirmedAt(time)),
        (UserChange::PasswordConfirmedAt(None), UserChange::PasswordConfirmedAt(time)),
    ] {
        let patch = |change: &UserChange| UserPatch::new(user.id().clone()).with(change.clone());
        applies(&users, &user, std::slice::from_ref(&null), "the field is null").await?;
        users.save(patch(&value)).await?;
        stale(&users, &user, std::slice::from_ref(&null), "the field has a value").await?;
        users.save(patch(&null)).await?;
        applies(&users, &user, &[null], "the field is null again").await?;
    }
    Ok(())
}

pub(super) async fn a_value_is_never_equal_to_null<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    for text in ["text", "", "null", "NULL"] {
        let text = Some(text.to_owned());
        stale(&users, &user, &[UserChange::TwoFactorSecret(text.clone())], "the field is null").await?;
        stale(&users, &user, &[UserChange::TwoFactorRecoveryCodes(text)], "the field is null").await?;
    }
    Ok(())
}

pub(super) async fn all_conditions_must_hold<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    let (met, null) = (password("hash"), UserChange::TwoFactorSecret(None));
    let (unmet, not_null) =
        (password("an older hash"), UserChange::TwoFactorSecret(Some("secret".to_owned())));
    applies(&users, &user, &[met.clone(), null.clone()], "both hold").await?;
    for one_unmet in
        [[met.clone(), not_null.clone()], [unmet.clone(), null.clone()], [null, unmet], [not_null, met]]
    {
        stale(&users, &user, &one_unmet, "one of the two does not hold").await?;
    }
    // Two conditions on one field.
    stale(&users, &user, &[password("hash"), password("an older hash")], "the field is \"hash\"").await
}

pub(super) async fn an_account_without_a_password_is_a_condition<U: AuthUser>(
    users: UserCases<U>,
) -> Checked {
    let mut new = users.new_user()?;
    new.password.clear();
    let user = users.repository.create(new).await.of("create")?;
    Fields::of(&user)
        .must_be(&Fields::of(&user).with(&[password("")]), "in the record that `create` returned")?;
    applies(&users, &user, &[password("")], "the account has no password").await?;
    stale(&users, &user, &[password("hash")], "the account has no password").await?;
    let set = UserPatch::new(user.id().clone()).with(password("hash")).only_if(password(""));
    users.save(set).await?;
    stale(&users, &user, &[password("")], "the account has a password").await?;
    users.save(UserPatch::new(user.id().clone()).with(password("")).only_if(password("hash"))).await?;
    applies(&users, &user, &[password("")], "the password was removed").await
}

pub(super) async fn conditions_are_compared_exactly<U: AuthUser>(users: UserCases<U>) -> Checked {
    let user = users.create().await?;
    let hash = "$2b$04$abcdefghijklmnopqrstuv as a hash has it";
    let changes = [password(hash), UserChange::TwoFactorSecret(Some(hash.to_owned()))];
    users.save(changes.into_iter().fold(UserPatch::new(user.id().clone()), UserPatch::with)).await?;
    for (difference, other) in almost(hash) {
        let why = format!("the stored value differs {difference}");
        stale(&users, &user, &[password(&other)], &why).await?;
        stale(&users, &user, &[UserChange::TwoFactorSecret(Some(other))], &why).await?;
    }
    Ok(())
}
